import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const forward = 'source/tools/sandbox/forward.ts';

async function run(...args: readonly string[]) {
	const child = spawn(process.execPath, [forward, ...args], {stdio: ['ignore', 'pipe', 'pipe']});
	const [stdout, stderr, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'exit'),
	]);
	return {stdout, stderr, code: code as number};
}

async function freePort(): Promise<number> {
	const server = createServer();
	server.listen({host: '127.0.0.1', port: 0});
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}

test('the command finds the port open, and its exit code is passed on', async () => {
	await using home = await temporaryHome();
	const socket = home.file('echo.sock');
	const server = createServer({allowHalfOpen: true}, client => client.pipe(client));
	server.listen(socket);
	await once(server, 'listening');
	const port = await freePort();
	const command =
		'const s=require("net").connect(+process.argv[1],"127.0.0.1");s.end("through");s.pipe(process.stdout);s.on("close",()=>process.exit(7))';

	const result = await run(`${port}=${socket}`, '--', process.execPath, '-e', command, `${port}`);

	expect(result).toEqual({stdout: 'through', stderr: '', code: 7});
	server.close();
});

test('a command that a signal ends, or that is not there, has the exit code that a shell gives it', async () => {
	expect((await run('--', 'sh', '-c', 'kill -TERM $$')).code).toBe(143);
	expect(await run('--', '/no/such/program')).toMatchObject({
		code: 127,
		stderr: expect.stringContaining('Cannot start "/no/such/program"'),
	});
});
