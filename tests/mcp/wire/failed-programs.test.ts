import {expect, test} from 'vitest';
import {connectServer} from '../../../source/mcp/connection/connect-server.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {stdioServer} from '../servers/stdio-server.ts';
import {openTransports} from './open-transports.ts';

const clientSide = {
	capabilities: {},
	register() {},
	calls: {
		count: 0,
		begin: () => ({[Symbol.dispose]() {}}),
		pause: () => ({[Symbol.dispose]() {}}),
		runId: () => undefined,
	},
};

const node = (...args: readonly string[]) => stdioServer(process.execPath, args);

const open = (
	server: ReturnType<typeof node>,
	transports: Awaited<ReturnType<typeof openTransports>>,
) => {
	const clock = createFakeClock();
	const {signal} = new AbortController();
	const opening = connectServer(
		server,
		{signal, secrets: [], onLost() {}},
		{clock, transports: transports.transports, clientSide},
	);
	return {clock, failure: opening.then(String, (error: unknown) => String(error))};
};

test('the reason of a program that ends is what it says is wrong, and where the rest is', async () => {
	await using transports = await openTransports();

	expect(await open(node('/nope/server.js'), transports).failure).toContain(
		"It exited with code 1: Error: Cannot find module '/nope/server.js' (the rest is in logs/mcp-stderr.log)",
	);
});

test('the reason of a program that does not answer in time is the same', async () => {
	await using transports = await openTransports();
	const source =
		'console.error("starting");console.error("\u001B[31mcannot reach the registry\u001B[0m");setInterval(()=>{},1000);console.error("trying again")';
	const {clock, failure} = open(node('-e', source), transports);
	await expect
		.poll(async () => transports.home.read('mcp-stderr.log').catch(() => ''))
		.toContain('trying again');

	clock.advance(60_000);

	expect(await failure).toContain(
		'It did not connect within 60 s (connect_timeout); it said: cannot reach the registry (the rest is in logs/mcp-stderr.log)',
	);
});

test('one line has no rest', async () => {
	await using transports = await openTransports();

	expect(
		await open(node('-e', 'console.error("no database");process.exit(3)'), transports).failure,
	).toMatch(/It exited with code 3: no database$/);
});
