package dev.semel.architecture.planted.attic;

final class Trunk {}
