import {startServer} from './start-server.ts';

// A server in a process of its own, for limits that are a process's: prints its port and serves until it is ended.
const server = await startServer();
process.stdout.write(`${server.port}\n`);
