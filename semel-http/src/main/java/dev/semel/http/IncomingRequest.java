package dev.semel.http;

import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** A request as it reached the filter, with its ids and its route. */
record IncomingRequest(
        HttpServletRequest request, HttpServletResponse response, RequestIds ids, RouteTable.Match match) {}
