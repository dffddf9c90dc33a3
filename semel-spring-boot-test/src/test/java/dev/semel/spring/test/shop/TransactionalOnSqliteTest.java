package dev.semel.spring.test.shop;

class TransactionalOnSqliteTest extends TransactionalSuite {}
