package dev.semel.spring

import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RestController

/** At a level that wants the transaction on the request's thread. */
@RestController
class MarkedSuspend {
    @Idempotent(level = Idempotent.Level.MARKER)
    @PostMapping("/marked")
    suspend fun marked(): String = "done"
}

/** Returns before its result is there. */
open class SuspendService {
    @Idempotent("charge", key = "#order")
    open suspend fun charge(order: String): String = "charged $order"
}

/** Returns before it has handled the message. */
open class SuspendHandler {
    @SemelChannel("mail")
    open suspend fun mail(text: String) {
        println(text)
    }
}
