import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {officialProgram} from '../../helpers/official-program.ts';
import {startHttp} from './http-server.ts';
import {compileCache} from './stdio-server.ts';

const script = officialProgram('everything');

/** The official server over HTTP, in a process of its own. It cannot choose a free port itself. */
export async function startEverything(kind: 'streamableHttp' | 'sse') {
	const {port, ...place} = await startHttp(() => {});
	await place[Symbol.asyncDispose]();
	const child = spawn(process.execPath, [script, kind], {
		env: {PATH: process.env['PATH'], PORT: String(port), ...compileCache},
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	for await (const line of createInterface({input: child.stderr})) {
		if (line.includes(String(port))) {
			break;
		}
	}

	child.stderr.resume();
	const ended = once(child, 'exit');
	return {
		url: `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`,
		kill() {
			child.kill('SIGKILL');
		},
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL');
			await ended;
		},
	};
}
