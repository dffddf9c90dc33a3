package dev.semel.spring

import dev.semel.http.IdempotentExchange
import jakarta.servlet.http.HttpServletRequest
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.springframework.http.ResponseEntity
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.support.TransactionTemplate
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestMapping
import org.springframework.web.bind.annotation.RestController

/** Handlers that are coroutines, write in every way that one can, and fail at their first run. */
@RestController
@RequestMapping("/suspend/{key}")
class SuspendDesk(private val jdbc: JdbcTemplate, manager: PlatformTransactionManager) {
    private val transaction = TransactionTemplate(manager)
    private val runs = ConcurrentHashMap<String, AtomicInteger>()

    fun runs(key: String): Int = runs[key]?.get() ?: 0

    fun effects(key: String): Int =
        jdbc.queryForObject("SELECT count(*) FROM effect WHERE name = ?", Int::class.java, key) ?: 0

    private fun count(key: String): Int = runs.computeIfAbsent(key) { AtomicInteger() }.incrementAndGet()

    private fun failOnce(key: String): String {
        check(count(key) > 1) { "the first run fails" }
        return "done"
    }

    private fun write(key: String) {
        jdbc.update("INSERT INTO effect (name) VALUES (?)", key)
    }

    private fun writeInTransaction(key: String) = transaction.executeWithoutResult { write(key) }

    /** Suspends nowhere, so all of it is on the request's thread. */
    @PostMapping("/without-suspension")
    suspend fun withoutSuspension(@PathVariable key: String): String {
        writeInTransaction(key)
        return failOnce(key)
    }

    @PostMapping("/auto-commit")
    suspend fun autoCommit(@PathVariable key: String): String {
        write(key)
        return failOnce(key)
    }

    @PostMapping("/other-dispatcher")
    suspend fun otherDispatcher(@PathVariable key: String): String {
        withContext(Dispatchers.IO) { writeInTransaction(key) }
        return failOnce(key)
    }

    /** Its transaction is on the request's thread, its failure on another one. */
    @PostMapping("/before-suspension")
    suspend fun beforeSuspension(@PathVariable key: String): String {
        writeInTransaction(key)
        return withContext(Dispatchers.IO) { failOnce(key) }
    }

    /** Gives its answer instead of throwing. */
    @PostMapping("/unavailable")
    suspend fun unavailable(@PathVariable key: String): ResponseEntity<String> {
        withContext(Dispatchers.IO) { write(key) }
        return ResponseEntity.status(if (count(key) == 1) 500 else 200).body("answered")
    }

    @Idempotent
    @PostMapping("/annotated")
    suspend fun annotated(@PathVariable key: String): String = otherDispatcher(key)

    @PostMapping("/level", "/level-at-marker")
    suspend fun level(request: HttpServletRequest): String = IdempotentExchange.of(request).get().level().name

    @PostMapping("/configured-at-marker")
    suspend fun configuredAtMarker(@PathVariable key: String): String = otherDispatcher(key)

    @PostMapping("/deferred")
    fun deferred(@PathVariable key: String): Deferred<String> =
        CoroutineScope(Dispatchers.IO).async {
            write(key)
            failOnce(key)
        }

    @PostMapping("/flow")
    fun flow(@PathVariable key: String): Flow<String> = flow { emit(otherDispatcher(key)) }

    /** Synchronous for its caller; its transaction is on another thread all the same. */
    @PostMapping("/blocking")
    fun blocking(@PathVariable key: String): String {
        runBlocking(Dispatchers.IO) { writeInTransaction(key) }
        return failOnce(key)
    }

    @PostMapping("/succeeds")
    suspend fun succeeds(@PathVariable key: String): String {
        withContext(Dispatchers.IO) { write(key) }
        return "run ${count(key)}"
    }
}
