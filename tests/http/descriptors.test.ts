// @module-tag slow
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {hold, rawExchange} from '../helpers/raw-http.ts';

const program = fileURLToPath(new URL('limited-program.ts', import.meta.url));

// Only Linux says how many descriptors a process may have.
test.runIf(process.platform === 'linux')(
	'with 64 descriptors, 200 held connections leave room for honest requests',
	async () => {
		const child = spawn('bash', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, program], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		try {
			const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
			const held = [];
			for (let count = 0; count < 200; count++) {
				held.push(await hold(Number(port)));
			}

			for (let count = 0; count < 20; count++) {
				const {answers} = await rawExchange(
					{port: Number(port)},
					'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
				);
				expect(answers).toMatchObject([{status: 200}]);
			}

			for (const {socket} of held) {
				socket.destroy();
			}
		} finally {
			child.kill('SIGKILL');
			await once(child, 'exit');
		}
	},
);
