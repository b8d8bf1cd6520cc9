// Runs in a sandbox whose network namespace has only a loopback interface: provides the command with ports of 127.0.0.1 that lead to Unix sockets. A separate program
// that loads none of svc's other code: node forward.js PORT=SOCKET … -- COMMAND ARGUMENT …
import {spawn} from 'node:child_process';
import {connect, createServer} from 'node:net';
import {constants} from 'node:os';
import {pipeline} from 'node:stream';

const words = process.argv.slice(2);
const end = words.indexOf('--');
const [command = '', ...args] = words.slice(end + 1);

await Promise.all(
	words.slice(0, end).map(async word => {
		const [, port, path = ''] = /^(\d+)=(.*)$/s.exec(word) ?? [];
		const server = createServer({allowHalfOpen: true, noDelay: true}, client => {
			const socket = connect({path, allowHalfOpen: true});
			pipeline(client, socket, () => {});
			pipeline(socket, client, () => {});
		});
		const {promise, resolve, reject} = Promise.withResolvers<void>();
		server.once('error', reject);
		server.listen({host: '127.0.0.1', port: Number(port)}, resolve);
		await promise;
	}),
);

const child = spawn(command, args, {stdio: 'inherit'});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => child.kill(signal));
}

child.once('error', error => {
	process.stderr.write(`Cannot start "${command}": ${error.message}\n`);
	// The exit code of a shell.
	process.exit(127);
});
child.once('exit', (code, signal) =>
	process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)),
);
