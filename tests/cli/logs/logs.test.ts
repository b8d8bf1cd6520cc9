import {appendFile, mkdir, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {followLog, openLogFile} from '../../../source/cli/logs/show-logs.ts';
import {logLine, type LogRecord, readLogLine} from '../../../source/core/log.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {command} from '../command.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

const record = (message: string, overrides: Partial<LogRecord> = {}): LogRecord => ({
	at: now,
	level: 'info',
	source: 'webhook',
	message,
	fields: {},
	...overrides,
});

const text = (...records: readonly LogRecord[]) => records.map(one => `${logLine(one)}\n`).join('');

/** A home whose log, and what was set aside of it, hold these records. */
async function homeWith(...files: ReadonlyArray<readonly LogRecord[]>) {
	const home = await temporaryHome();
	await mkdir(join(home.path, 'logs'), {recursive: true});
	const log = join(home.path, 'logs', 'gateway.log');
	await Promise.all(
		files.map(async (records, index) =>
			writeFile(index === 0 ? log : `${log}.${index}`, text(...records)),
		),
	);
	return {...home, log, [Symbol.asyncDispose]: async () => home[Symbol.asyncDispose]()};
}

const logs = async (home: {readonly path: string}, ...args: readonly string[]) =>
	command(['logs', ...args], {home: home.path, clock: createFakeClock(now)});

test.for([
	record('Listening on http://127.0.0.1:8644'),
	record('It failed', {
		level: 'error',
		source: 'agent',
		fields: {run: 7, route: 'gh', error: 'a "quoted" \\ word', ok: false, ratio: 1.5},
	}),
	record('', {level: 'debug', source: 'averylongroom'}),
])('what a line of the log says is read back: %j', one => {
	expect(readLogLine(logLine(one))).toEqual(one);
});

test.for([
	'',
	'two log lines could not be written',
	'2026-11-20T12:00:00Z nothing',
	' a="'.repeat(20_000),
])('%j is no record', line => {
	expect(readLogLine(line)).toBeUndefined();
});

const several = [
	record('one', {at: now - 3_600_000, fields: {run: 1}}),
	record('two', {level: 'warn', source: 'agent', fields: {run: 2, delivery: 'abc'}}),
	record('three', {level: 'error', source: 'mcp'}),
	record('four', {level: 'debug'}),
	record('five', {level: 'note'}),
];

test.for([
	[[], ['one', 'two', 'three', 'four', 'five']],
	[
		['--level', 'warn'],
		['two', 'three'],
	],
	[
		['--level', 'note'],
		['two', 'three', 'five'],
	],
	[
		['--room', 'agent,mcp'],
		['two', 'three'],
	],
	[['--run', '2'], ['two']],
	[['--delivery', 'abc'], ['two']],
	[
		['--since', '10m'],
		['two', 'three', 'four', 'five'],
	],
	[['--lines', '1'], ['five']],
	[['--lines', '1', '--level', 'warn'], ['three']],
] as const)('svc logs %j shows %j', async ([args, messages]) => {
	await using home = await homeWith(several);
	const {code, stdout, stderr} = await logs(home, ...args);

	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	const shown = stdout.trimEnd().split('\n');
	expect(shown.map(line => readLogLine(line)?.message)).toEqual(messages);
});

test('--json prints one record a line', async () => {
	await using home = await homeWith(several);
	const {stdout} = await logs(home, '--json', '--level', 'error');

	expect(JSON.parse(stdout)).toEqual(several[2]);
});

test('what was set aside comes before the log, as far as it is asked for', async () => {
	await using home = await homeWith([record('new')], [record('old')], [record('older')]);

	const all = await logs(home);
	expect(all.stdout).toMatch(/older\n.*old\n.*new\n/);
	const two = await logs(home, '--lines', '2');
	expect(two.stdout).not.toContain('older');
});

test('an escape sequence in the file is text', async () => {
	await using home = await homeWith([]);
	await writeFile(home.log, `${logLine(record('red'))}\u001B[31m \u202E\n`);
	const {stdout} = await logs(home);

	expect(stdout).not.toContain('\u001B');
	expect(stdout).not.toContain('\u202E');
	expect(stdout).toContain('␛[31m');
});

test('without a log it says where one would be', async () => {
	await using home = await temporaryHome();
	const {code, stdout, stderr} = await logs(home);

	expect({code, stdout}).toEqual({code: 0, stdout: ''});
	expect(stderr).toContain('gateway.log');
});

test.for([
	['--level', 'loud'],
	['--lines', '0'],
	['--since', 'soon'],
	['--run', 'x'],
])('%s %s is wrong usage', async args => {
	await using home = await homeWith([]);

	expect((await logs(home, ...args)).code).toBe(2);
});

/** Follows `path`; `next` lets time pass until there is a line, or the end. */
async function follow(path: string) {
	const clock = createFakeClock(now);
	const stop = new AbortController();
	const log = await openLogFile(path);
	const lines = followLog(path, log, {clock, signal: stop.signal});
	return {
		stop,
		async next() {
			const turn = {isOver: false};
			const line = lines.next().finally(() => {
				turn.isOver = true;
			});
			while (!turn.isOver) {
				clock.advance(250);
				// oxlint-disable-next-line no-await-in-loop -- the disk answers between the looks
				await new Promise(resolve => {
					setImmediate(resolve);
				});
			}

			const {value} = await line;
			return typeof value === 'string' ? readLogLine(value)?.message : undefined;
		},
		async [Symbol.asyncDispose]() {
			stop.abort();
			await lines.return();
		},
	};
}

test('following goes on in the next file, and loses no line of the one that was set aside', async () => {
	await using home = await homeWith([record('one')]);
	await using followed = await follow(home.log);
	expect(await followed.next()).toBe('one');

	const two = text(record('two'));
	await appendFile(home.log, two.slice(0, 10));
	await appendFile(home.log, two.slice(10));
	await rename(home.log, `${home.log}.1`);
	await writeFile(home.log, text(record('three')));
	expect(await followed.next()).toBe('two');
	expect(await followed.next()).toBe('three');

	followed.stop.abort();
	expect(await followed.next()).toBeUndefined();
});

test('a log that does not exist yet is waited for', async () => {
	await using home = await temporaryHome();
	await using followed = await follow(home.file('new.log'));
	const first = followed.next();
	await home.write('new.log', text(record('born')));

	expect(await first).toBe('born');
});

test('of a line of many fields the last ones are read', () => {
	const read = readLogLine(
		`2026-11-20T15:04:02.870Z warn  webhook  told${' a=b'.repeat(16_000)} run=7`,
	);
	expect(read?.fields).toEqual({a: 'b', run: 7});
	expect(read?.message).toMatch(/^told a=b/);
});
