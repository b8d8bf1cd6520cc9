import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {flagsInTests} from './processes.ts';

const program = fileURLToPath(new URL('../gateway/gateway-program.ts', import.meta.url));

/** A gateway of the home at `path` in a process of its own, as soon as its receiver listens. Disposing of it is `kill -9`. */
export async function startGatewayProcess(
	path: string,
	environment: Readonly<Record<string, string>> = {},
) {
	const child = spawn(
		process.execPath,
		[...flagsInTests, program, path, JSON.stringify(environment)],
		{stdio: ['ignore', 'pipe', 'inherit']},
	);
	const exited = once(child, 'exit');
	const [line] = (await Promise.race([
		once(createInterface(child.stdout), 'line'),
		exited.then(() => ['it ended']),
	])) as [string];
	return {
		url: line,
		pid: child.pid ?? 0,
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL');
			await exited;
		},
	};
}
