-- Two organisations to try it with. The tokens are demo-ada, demo-bob, demo-rea (who may only read) and demo-gus, whose
-- organisation may not make announcements.

INSERT INTO organisation (id, name) VALUES ('acme', 'Acme'), ('globex', 'Globex') ON CONFLICT DO NOTHING;

INSERT INTO access_token (hash, organisation, person, role, per_minute) VALUES
    ('35cd5ee46fbe9fcc8ea0563453655b0956c26ef83ca7b95c9b11f658664dd397', 'acme', 'ada', 'PLANNER', 600),
    ('cfdd601be826835d6a59c993254eb5786da08ee32379b680795ebe708f0060f9', 'acme', 'bob', 'PLANNER', 600),
    ('7aa1f9f1c9375640ae7447af83b2ecf92209cf2451bb76cc3d3b8d9c12862c2b', 'acme', 'rea', 'READER', 600),
    ('a0b170a85d0e2553b0e282084da4a43f57b5050d002b32f35a06f5f25ef59243', 'globex', 'gus', 'PLANNER', 600)
ON CONFLICT DO NOTHING;

INSERT INTO disabled_feature (organisation, name) VALUES ('globex', 'announcements') ON CONFLICT DO NOTHING;
