import {readFile, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {uncertainResult} from '../../../source/mcp/calls/lost-call.ts';
import {connected, nativeTool, tableServer, text} from './connected.ts';

const png = Buffer.from('not really a picture');

test('the texts of an answer are what the model reads; the arguments go to the server as they are', async () => {
	await using world = await connected(
		tableServer({echo: args => text(JSON.stringify(args), 'second')}),
	);

	expect(await world.call('echo', {n: 'a text where a number is wanted', x: [1, null]})).toEqual({
		kind: 'result',
		result: {text: '{"n":"a text where a number is wanted","x":[1,null]}\nsecond'},
	});
	expect(await world.read('echo', null)).toBe('{}\nsecond');
});

test.for([
	['a list', []],
	['a text', 'x'],
	['a number', 5],
] as const)('arguments that are %s are refused before the server sees them', async ([, args]) => {
	let calls = 0;
	await using world = await connected(tableServer({echo: () => (calls++, text('called'))}));

	expect(await world.call('echo', args)).toEqual({
		kind: 'result',
		result: {text: '{"error":"The arguments must be a JSON object","server":"crm"}', isError: true},
	});
	expect(calls).toBe(0);
});

test('an error of the tool is one for the model', async () => {
	await using world = await connected(
		tableServer({fail: () => ({...text('no such issue'), isError: true})}),
	);

	expect(await world.call('fail')).toEqual({
		kind: 'result',
		result: {text: 'no such issue', isError: true},
	});
});

test('an error of the protocol is one for the model, and names the server', async () => {
	await using world = await connected(tableServer({}));

	expect(await world.call('gone')).toEqual({
		kind: 'result',
		result: {
			text: '{"error":"It answered with error -32602: No tool \\"gone\\"","server":"crm"}',
			isError: true,
		},
	});
});

test('structured content is kept: as JSON when it is not already in the text', async () => {
	const structuredContent = {a: 1, b: {c: [true]}};
	await using world = await connected(
		tableServer({
			other: () => ({...text('summary'), structuredContent}),
			same: () => ({...text('{"b": {"c": [true]}, "a": 1}'), structuredContent}),
			only: () => ({content: [], structuredContent}),
		}),
	);

	expect(await world.read('other')).toBe('summary\nstructured content:\n{"a":1,"b":{"c":[true]}}');
	expect(await world.read('same')).toBe('{"b": {"c": [true]}, "a": 1}');
	expect(await world.read('only')).toBe('structured content:\n{"a":1,"b":{"c":[true]}}');
});

test('an answer without content says so', async () => {
	await using world = await connected(tableServer({quiet: () => ({content: []})}));

	expect(await world.read('quiet')).toBe('(no content)');
});

test('binary goes to the cache directory, named; the same bytes are one file', async () => {
	const image = {type: 'image', data: png.toString('base64'), mimeType: 'image/png'} as const;
	await using world = await connected(tableServer({draw: () => ({content: [image, image]})}));
	const answer = await world.read('draw');
	const [, path = ''] = /saved as (.*)\]/.exec(answer) ?? [];

	expect(answer).toBe(
		`[image, image/png, 20 bytes, saved as ${path}]\n[image, image/png, 20 bytes, saved as ${path}]`,
	);
	expect(path).toMatch(new RegExp(`^${world.home.path}/mcp/run-7/[0-9a-f]{32}\\.png$`));
	expect(await readFile(path)).toEqual(png);
	expect((await stat(path)).mode & 0o777).toBe(0o600);

	const tried = await world.call('draw', {}, {runId: undefined as never});
	expect(JSON.stringify(tried)).toContain('/mcp/try/');
});

test('audio and blobs are kept, what could run when it is opened ends in bin', async () => {
	const data = png.toString('base64');
	await using world = await connected(
		tableServer({
			all: () => ({
				content: [
					{type: 'audio', data, mimeType: 'audio/mpeg'},
					{type: 'resource', resource: {uri: 'file:///a', blob: data, mimeType: 'text/html'}},
					{type: 'image', data, mimeType: '../../../etc/passwd'},
				],
			}),
		}),
	);
	const [audio, blob, odd] = (await world.read('all')).split('\n');

	expect(audio).toMatch(/^\[audio, audio\/mpeg, 20 bytes, saved as .*\.mp3\]$/);
	expect(blob).toMatch(
		/^\[resource file:\/\/\/a, text\/html, 20 bytes, saved as .*\/[0-9a-f]{32}\.bin\]$/,
	);
	expect(odd).toMatch(/saved as .*\/mcp\/run-7\/[0-9a-f]{32}\.bin\]$/);
});

test('a binary of more than 10 MB is not kept', async () => {
	const data = Buffer.alloc(10 * 1024 * 1024 + 4).toString('base64');
	await using world = await connected(
		tableServer({draw: () => ({content: [{type: 'image', data, mimeType: 'image/png'}]})}),
	);

	expect(await world.read('draw')).toBe('[image, image/png: larger than 10 MB, not kept]');
});

test('an embedded resource is read, a link to one is listed and never fetched', async () => {
	let reads = 0;
	const server = tableServer(
		{
			find: () => ({
				content: [
					{type: 'resource', resource: {uri: 'note://1', text: 'inside'}},
					{type: 'resource_link', uri: 'note://2\n[x]', name: 'Two', mimeType: 'text/plain'},
				],
			}),
		},
		{capabilities: {tools: {}, resources: {}}},
	);
	server.setRequestHandler('resources/read', () => {
		reads += 1;
		return {contents: []};
	});
	await using world = await connected(server);

	expect(await world.read('find')).toBe(
		'[resource note://1]\ninside\n[link to resource note://2␊[x], not fetched: Two, text/plain]',
	);
	expect(reads).toBe(0);
});

test('nothing hidden, no credential and nothing of the protocol reaches the model', async () => {
	await using world = await connected(
		tableServer({
			show: () => ({
				...text('a\u001b[31mred\u001b[0m \u202etxt\u{e0041}', 'key hunter2hunter2'),
				_meta: {note: 'of the protocol'},
			}),
		}),
	);

	expect(await world.read('show')).toBe(
		String.raw`a\u{1b}[31mred\u{1b}[0m \u{202e}txt` + '\nkey [redacted]',
	);
});

test('400 kB cap with head and tail', async () => {
	await using world = await connected(
		tableServer({long: () => text(`head ${'x'.repeat(2_000_000)} tail`)}),
	);
	const answer = await world.read('long');

	expect(answer.length).toBeLessThan(401_000);
	expect(answer.slice(0, 5)).toBe('head ');
	expect(answer.slice(-5)).toBe(' tail');
	expect(answer).toMatch(/\[… \d+ bytes left out …\]/);
});

test('an answer that is not of the tool’s outputSchema is an error that says so', async () => {
	const outputSchema = {
		type: 'object',
		properties: {n: {type: 'number'}},
		required: ['n'],
	} as const;
	await using world = await connected(
		tableServer({
			wrong: () => ({...text('x'), structuredContent: {n: 'five'}}),
			none: () => text('x'),
			right: () => ({...text('x'), structuredContent: {n: 5}}),
		}),
	);

	for (const name of ['wrong', 'none']) {
		const outcome = await world.call(nativeTool(name, {outputSchema}));
		expect(outcome).toMatchObject({kind: 'result', result: {isError: true}});
		expect(JSON.stringify(outcome)).toContain('what it answered is not of its outputSchema');
	}

	expect(await world.read(nativeTool('right', {outputSchema}))).toBe(
		'x\nstructured content:\n{"n":5}',
	);
});

/** A tool that answers when it is told to, and tells when it was called and when it was cancelled. */
function slowTool() {
	const called = Promise.withResolvers<void>();
	const cancelled = Promise.withResolvers<unknown>();
	const answer = Promise.withResolvers<ReturnType<typeof text>>();
	const server = tableServer({
		slow(_args, {mcpReq}) {
			mcpReq.signal.addEventListener('abort', () => cancelled.resolve(mcpReq.signal.reason));
			called.resolve();
			return answer.promise;
		},
	});
	return {server, called: called.promise, cancelled: cancelled.promise, answer: answer.resolve};
}

test('a call ends at its timeout, and the server is told', async () => {
	const slow = slowTool();
	await using world = await connected(slow.server);
	const call = world.call('slow');
	await slow.called;
	world.clock.advance(300_000);

	expect(await call).toMatchObject({
		kind: 'result',
		result: {
			isError: true,
			text: '{"error":"The tool \\"slow\\" did not answer within 300 s and was cancelled: whether it had its effect is unknown, verify before calling again","server":"crm"}',
		},
	});
	expect(await slow.cancelled).toBe('timed out');
	expect(world.calls.count).toBe(0);
});

test('a call that is cancelled rejects with the reason, and the server is told nothing of that', async () => {
	const slow = slowTool();
	await using world = await connected(slow.server);
	const controller = new AbortController();
	const call = world.call('slow', {}, {signal: controller.signal});
	await slow.called;
	controller.abort(new Error('the run of alice ended'));

	await expect(call).rejects.toThrow('the run of alice ended');
	expect(await slow.cancelled).toBe('cancelled');
});

test('a call that is cancelled already is not sent', async () => {
	const slow = slowTool();
	await using world = await connected(slow.server);

	await expect(
		world.call('slow', {}, {signal: AbortSignal.abort(new Error('over'))}),
	).rejects.toThrow('over');
	expect(world.calls.count).toBe(0);
});

test('a connection that ends in the middle of a call loses its answer', async () => {
	const slow = slowTool();
	await using world = await connected(slow.server);
	const call = world.call('slow');
	await slow.called;
	await world.far.close();

	expect(await call).toMatchObject({kind: 'lost', sent: true});
});

test('a connection that its owner gives up loses the answer, too', async () => {
	const slow = slowTool();
	await using world = await connected(slow.server);
	const call = world.call('slow');
	await slow.called;
	world.gone.abort();

	expect(await call).toEqual({kind: 'lost', reason: 'closed', sent: true});
});

test('over a connection that is gone nothing is sent', async () => {
	await using world = await connected(tableServer({echo: () => text('x')}));
	await world.far.close();
	expect(await world.call('echo')).toEqual({kind: 'lost', reason: 'closed', sent: false});

	world.gone.abort();
	expect(await world.call('echo')).toEqual({kind: 'lost', reason: 'closed', sent: false});
});

test('an answer whose stream was lost is lost', async () => {
	await using world = await connected(
		tableServer({
			cut() {
				throw Object.assign(new Error('lost'), {code: -32_099, data: {reason: 'stream_lost'}});
			},
		}),
	);

	expect(await world.call('cut')).toEqual({kind: 'lost', reason: 'stream_lost', sent: true});
});

test('other tools return the error outcome_uncertain; the outcome must be verified before re-invoking', () => {
	const {text: json, isError} = uncertainResult({
		server: 'crm',
		tool: 'create',
		reason: 'session_expired',
	});

	expect(isError).toBe(true);
	expect(JSON.parse(json)).toEqual({
		error:
			'outcome_uncertain: the tool "create" of the tool server "crm" was called, then its session expired; verify what it did before calling it again',
		outcome_uncertain: true,
		server: 'crm',
		tool: 'create',
		reason: 'session_expired',
	});
});

test('progress is told in cleaned lines, at most 5 in a second', async () => {
	const lines: string[] = [];
	const report = Promise.withResolvers<(message: string) => Promise<void>>();
	const answer = Promise.withResolvers<ReturnType<typeof text>>();
	await using world = await connected(
		tableServer({
			work(_args, {mcpReq}) {
				const {_meta: meta} = mcpReq;
				const progressToken = meta?.progressToken ?? '';
				let progress = 0;
				report.resolve(async message => {
					progress += 1;
					const params = {progressToken, progress, total: 10, message};
					await mcpReq.notify({method: 'notifications/progress', params});
				});
				return answer.promise;
			},
		}),
	);
	const call = world.call('work', {}, {onProgress: line => lines.push(line)});
	const tell = await report.promise;
	await tell('one\u001b[2J hunter2hunter2');
	await tell('too soon');
	world.clock.advance(200);
	await tell('two');
	answer.resolve(text('done'));

	expect(await call).toMatchObject({result: {text: 'done'}});
	expect(lines).toEqual(['one␛[2J [redacted] (1 of 10)', 'two (3 of 10)']);
});
