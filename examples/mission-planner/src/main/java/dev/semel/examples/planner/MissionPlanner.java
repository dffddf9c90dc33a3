package dev.semel.examples.planner;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. */
@SpringBootApplication
public class MissionPlanner {
    public static void main(String[] args) {
        SpringApplication.run(MissionPlanner.class, args);
    }
}
