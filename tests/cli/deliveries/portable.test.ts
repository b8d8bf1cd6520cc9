import {stat, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import {lockHome} from '../../../source/gateway/control/lock.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from '../command.ts';

const binary = Buffer.from([0xff, 0x00, 0x80]);

const samples: readonly StoredDelivery[] = [
	{
		...makeDelivery({
			route: 'gh',
			trace: [{step: 'filter', verdict: 'stop', detail: 'filters[0] x: got 1'}],
			outcome: 'ignored:filter',
			status: 200,
		}),
		headers: {'x-github-event': 'push'},
		body: Buffer.from('{"big":12345678901234567890,"hostile":"\u202e\u001b[2J"}'),
	},
	{...makeDelivery({route: 'bin'}), headers: {}, body: binary},
	{...makeDelivery({route: 'gh', outcome: 'signature', status: 401}), headers: {}},
];

/** A home whose journal holds the samples, in their order. */
async function filled(deliveries: readonly StoredDelivery[] = samples): Promise<TemporaryHome> {
	const home = await temporaryHome();
	await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
	for (const delivery of deliveries) {
		await store.intake.record({delivery, claim: false});
	}

	return home;
}

const objects = (text: string): readonly Record<string, unknown>[] =>
	text
		.split('\n')
		.filter(line => line !== '')
		.map(line => JSON.parse(line));

test('an export is one object a line, oldest first, the body as text or in base64', async () => {
	await using home = await filled();
	const {code, stdout, stderr} = await command(['deliveries', 'export'], {home: home.path});
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	const [first, second, third] = objects(stdout);
	expect(first).toMatchObject({
		route: 'gh',
		headers: {'x-github-event': 'push'},
		body: '{"big":12345678901234567890,"hostile":"\u202e\u001b[2J"}',
		trace: [{step: 'filter', verdict: 'stop', detail: 'filters[0] x: got 1'}],
	});
	expect(second).toMatchObject({route: 'bin', body_base64: binary.toString('base64')});
	expect(third).not.toHaveProperty('body');
	// oxlint-disable-next-line no-control-regex -- they are what must not be there
	expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F\u202e]/);
});

test('an export to a file is private and there only when it is whole', async () => {
	await using home = await filled();
	const out = home.file('out.jsonl');
	const told = await command(['deliveries', 'export', '--route', 'gh', '--out', out], {
		home: home.path,
	});
	expect(told).toEqual({code: 0, stdout: '', stderr: `Wrote 2 deliveries to ${out}\n`});
	expect((await stat(out)).mode & 0o777).toBe(0o600);
	expect(objects(await home.read('out.jsonl'))).toHaveLength(2);
	const failed = await command(['deliveries', 'export', '--out', '/nowhere/x'], {
		home: home.path,
	});
	expect(failed.code).toBe(1);
	expect(failed.stderr).toContain('(file_unwritable)');
	expect(failed.stderr).toContain('"/nowhere/x"');
	expect(failed.stderr).not.toContain('.part');
	const again = await command(['deliveries', 'export', '--out', out], {home: home.path});
	expect(again.code).toBe(1);
	expect(again.stderr).toContain('add --force');
	expect(objects(await home.read('out.jsonl')), 'it is left as it was').toHaveLength(2);
	const forced = await command(['deliveries', 'export', '--out', out, '--force'], {
		home: home.path,
	});
	expect(forced.code).toBe(0);
});

test('--since takes spans and dates', async () => {
	const now = systemClock.now();
	await using home = await filled([
		{...makeDelivery({receivedAt: now - 10 * 3_600_000, route: 'old'}), headers: {}},
		{...makeDelivery({receivedAt: now - 1000, route: 'new'}), headers: {}},
	]);
	const routes = async (since: string) => {
		const {code, stdout} = await command(['deliveries', 'export', '--since', since], {
			home: home.path,
		});
		expect(code).toBe(0);
		return objects(stdout).map(({route}) => route);
	};
	expect(await routes('2h')).toEqual(['new']);
	expect(await routes('1d')).toEqual(['old', 'new']);
	expect(await routes('2020-01-01')).toEqual(['old', 'new']);
	expect((await command(['deliveries', 'export', '--since', 'soon'], {home: home.path})).code).toBe(
		2,
	);
});

test('an import takes the deliveries of another journal in, in their order, under new identifiers; nothing refers to the old one', async () => {
	await using from = await filled(
		samples.map(sample => ({...sample, replayOf: 'abcd1', runId: 4, group: 2})),
	);
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	await using home = await temporaryHome();
	await home.write('in.jsonl', `\ufeff${lines}\n`);
	expect(
		await commandJson(['deliveries', 'import', home.file('in.jsonl')], {home: home.path}),
	).toEqual({imported: 3, leftOut: 0});

	const list: readonly StoredDelivery[] = await commandJson(['deliveries', 'list'], {
		home: home.path,
	});
	expect(list.map(({route, outcome}) => `${route} ${outcome}`)).toEqual([
		'gh signature',
		'bin accepted',
		'gh ignored:filter',
	]);
	for (const [index, delivery] of list.toReversed().entries()) {
		const sample = samples[index];
		expect(delivery).toMatchObject({
			receivedAt: sample?.receivedAt,
			deliveryId: sample?.deliveryId,
			idSource: 'import',
		});
		expect(delivery.id).not.toBe(sample?.id);
		expect(delivery).not.toHaveProperty('runId');
		expect(delivery).not.toHaveProperty('group');
		expect(delivery).not.toHaveProperty('replayOf');
	}

	const shown = await command(['deliveries', 'show', list[2]?.id ?? ''], {home: home.path});
	expect(shown.stdout).toContain('12345678901234567890');
	const again = await command(['deliveries', 'export'], {home: home.path});
	expect(objects(again.stdout).map(({body, body_base64: encoded}) => body ?? encoded)).toEqual(
		objects(lines).map(({body, body_base64: encoded}) => body ?? encoded),
	);
});

/** A line of an export with another time. */
const strange = (receivedAt: number) => JSON.stringify({...samples[2], receivedAt});

test.for([
	['what is no JSON', '{"a"', /line 2: it is not JSON/],
	['what is no delivery', '{"id": "x"}', /line 2: .*(?:profile|required)/],
	['a value of the wrong kind', '{"outcome": "eaten"}', /line 2: /],
	['a time that is no date', strange(Number.MAX_SAFE_INTEGER), /line 2: .*a day ahead/],
	['a time to come', strange(Date.now() + 25 * 3_600_000), /line 2: .*a day ahead/],
	['a time before all times', strange(-1), /line 2: .*receivedAt/],
	['no text', Buffer.from([0x22, 0xff, 0x22]), /line 2: it is not UTF-8/],
] as const)('a line with %s is named, and the journal stays as it was', async ([, bad, words]) => {
	await using from = await filled();
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	const [first = '', ...others] = lines.split('\n');
	await using home = await temporaryHome();
	await writeFile(
		home.file('in.jsonl'),
		Buffer.concat([
			Buffer.from(`${first}\n`),
			Buffer.from(bad as Buffer),
			Buffer.from(`\n${others.join('\n')}`),
		]),
	);
	const {code, stdout, stderr} = await command(['deliveries', 'import', home.file('in.jsonl')], {
		home: home.path,
	});
	expect({code, stdout}).toEqual({code: 1, stdout: ''});
	expect(stderr).toMatch(words);
	expect(stderr).toContain('(line_invalid)');
	expect(await commandJson(['deliveries', 'list'], {home: home.path})).toEqual([]);
});

test('a bad line leaves everything as it was, however many good ones stand before it', async () => {
	await using from = await filled();
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	await using home = await temporaryHome();
	await home.write('in.jsonl', `${lines.repeat(200)}nonsense\n`);
	const {code, stderr} = await command(['deliveries', 'import', home.file('in.jsonl')], {
		home: home.path,
	});
	expect(code).toBe(1);
	expect(stderr).toMatch(/line 601: it is not JSON/);
	expect(stderr).not.toContain('taken in');
	expect(await commandJson(['deliveries', 'list'], {home: home.path})).toEqual([]);
});

test('an export has every delivery of a journal, oldest first, each once', async () => {
	const many = Array.from({length: 1001}, (_, index) => ({
		...makeDelivery({deliveryId: `number-${index}`}),
		headers: {},
	}));
	await using home = await filled(many);
	const {stdout} = await command(['deliveries', 'export'], {home: home.path});
	expect(objects(stdout).map(({deliveryId}) => deliveryId)).toEqual(
		many.map(({deliveryId}) => deliveryId),
	);
});

test('a line above the bound is left out with a warning, not read into memory; the others are taken in', async () => {
	await using from = await filled();
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	const [first = '', ...others] = lines.split('\n');
	await using home = await temporaryHome();
	await writeFile(
		home.file('in.jsonl'),
		Buffer.concat([
			Buffer.from(`${first}\n`),
			Buffer.alloc(45 * 1024 * 1024, 0x20),
			Buffer.from(`\n${others.join('\n')}`),
		]),
	);
	const words = 'Line 2 is left out: it is longer than 20971520 bytes\n';
	expect(await command(['deliveries', 'import', home.file('in.jsonl')], {home: home.path})).toEqual(
		{
			code: 1,
			stdout: 'Took in 3 deliveries and left out 1; replay one with "svc deliveries replay ID"\n',
			stderr: words,
		},
	);
	expect(await commandJson(['deliveries', 'list'], {home: home.path})).toHaveLength(3);
	const piped = await command(['deliveries', 'import', '-', '--json'], {
		home: home.path,
		stdin: `${first}\n${' '.repeat(21 * 1024 * 1024)}`,
	});
	expect(piped).toMatchObject({code: 1, stderr: words});
	expect(JSON.parse(piped.stdout)).toEqual({imported: 1, leftOut: 1});
	const missing = await command(['deliveries', 'import', home.file('nothing')], {
		home: home.path,
	});
	expect(missing.stderr).toContain('(file_unreadable)');
});

test('of a stream that cannot be read twice, what stood before the bad line is taken in, and said', async () => {
	await using from = await filled();
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	await using home = await temporaryHome();
	await using held = new AsyncDisposableStack();
	const port = createFakePort();
	held.use(await serveControl(home.path, port));
	const many = lines.repeat(200);
	const {code, stderr} = await command(['deliveries', 'import', '-'], {
		home: home.path,
		stdin: `${many}nonsense\n`,
	});
	expect(code).toBe(1);
	expect(stderr).toMatch(/line 601: it is not JSON; 500 deliveries before it were taken in/);
});

test('an import goes through the gateway when it runs; a home that somebody else holds is left alone', async () => {
	await using from = await filled();
	const {stdout: lines} = await command(['deliveries', 'export'], {home: from.path});
	await using home = await temporaryHome();
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	const port = createFakePort();
	{
		await using held = new AsyncDisposableStack();
		held.use(await serveControl(home.path, port));
		expect(
			await command(['deliveries', 'import', '-'], {home: home.path, stdin: lines}),
		).toMatchObject({code: 0, stdout: expect.stringContaining('3 deliveries')});
	}

	expect(port.calls.map(({name}) => name)).toEqual(['importDeliveries']);
	const [[{deliveries: taken}]] = port.calls.map(({args}) => args) as [
		[{readonly deliveries: readonly StoredDelivery[]}],
	];
	expect(taken.map(({body}) => body && Buffer.from(body))).toEqual(
		samples.map(({body}) => body && Buffer.from(body)),
	);

	using held = new DisposableStack();
	held.use(lockHome(paths));
	const refused = await command(['deliveries', 'import', '-'], {home: home.path, stdin: lines});
	expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining('(gateway_running)')});
});
