/** `@millrace/mysql`: runs in a MySQL or MariaDB database, for any number of processes on any number of machines. */
export { mysql, type MysqlBackend, type MysqlOptions, type MysqlServer, type MysqlSettings } from "./mysql.ts";
