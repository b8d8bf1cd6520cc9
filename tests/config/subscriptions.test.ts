import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {editSubscriptions, createSubscriptionsReader} from '../../source/config/subscriptions.ts';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import {createLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createTemporaryHome} from './temporary-home.ts';

function createReader(home: ReturnType<typeof createTemporaryHome>) {
	const messages: string[] = [];
	const clock = createFakeClock(Date.now());
	const log = createLogger({
		clock,
		redact: text => text,
		write: record => messages.push(record.message),
	});
	const reader = createSubscriptionsReader({paths: home.paths, clock, log});
	return {reader, messages, clock};
}

test('"an object keyed by route name", and a home without the file has none', () => {
	using home = createTemporaryHome();
	const {reader} = createReader(home);
	expect(reader.current()).toMatchObject({entries: {}});
	writeFileSync(home.paths.subscriptions, '\uFEFF{"a": {"secret": "s"}}');
	expect(reader.current().entries).toEqual({a: {secret: 's'}});
	rmSync(home.paths.subscriptions);
	expect(reader.current().entries).toEqual({});
});

test('"Hot-reloaded on each incoming request (modification-time gated)"', () => {
	using home = createTemporaryHome();
	const {reader, clock} = createReader(home);
	const path = home.paths.subscriptions;
	writeFileSync(path, '{"a": 1}');
	utimesSync(path, 1_000_000, 1_000_000);
	clock.advance(1_000_000);
	const first = reader.current();
	// The same time, size and inode: the file counts as unchanged.
	writeFileSync(path, '{"b": 1}');
	utimesSync(path, 1_000_000, 1_000_000);
	expect(reader.current()).toBe(first);
	utimesSync(path, 1_000_001, 1_000_001);
	expect(reader.current().entries).toEqual({b: 1});
	// The same time, another size.
	writeFileSync(path, '{"bb": 1}');
	utimesSync(path, 1_000_001, 1_000_001);
	expect(reader.current().entries).toEqual({bb: 1});
	writeFileSync(path, '{"b": 1}');
	utimesSync(path, 1_000_001, 1_000_001);
	expect(reader.current().entries).toEqual({b: 1});
	// Replaced by another file of the same time and size.
	writeFileSync(`${path}.new`, '{"c": 1}');
	utimesSync(`${path}.new`, 1_000_001, 1_000_001);
	renameSync(`${path}.new`, path);
	expect(reader.current().entries).toEqual({c: 1});
});

test('a file that changes twice within one tick of its time stamp is read twice', () => {
	using home = createTemporaryHome();
	const {reader} = createReader(home);
	const path = home.paths.subscriptions;
	const now = Date.now() / 1000;
	writeFileSync(path, '{"a": 1}');
	utimesSync(path, now, now);
	expect(reader.current().entries).toEqual({a: 1});
	writeFileSync(path, '{"b": 1}');
	utimesSync(path, now, now);
	expect(reader.current().entries).toEqual({b: 1});
});

test('text that is the same makes no new object', () => {
	using home = createTemporaryHome();
	const {reader} = createReader(home);
	writeFileSync(home.paths.subscriptions, '{"a": 1}');
	const first = reader.current();
	utimesSync(home.paths.subscriptions, 5, 5);
	expect(reader.current()).toBe(first);
});

test.for([
	'{"a": {"secret": "s3cret',
	'[]',
	'"text"',
	'null',
	'',
	'\uFEFF \n',
	`{"a": "${'x'.repeat(4 * 1024 * 1024)}"}`,
])('a file that cannot be used keeps the last good set and says so once', text => {
	using home = createTemporaryHome();
	const {reader, messages} = createReader(home);
	writeFileSync(home.paths.subscriptions, '{"a": 1}');
	reader.current();
	writeFileSync(home.paths.subscriptions, text);
	const broken = reader.current();
	expect(broken.entries).toEqual({a: 1});
	expect(broken.problem).toContain(home.paths.subscriptions);
	reader.current();
	reader.current();
	expect(messages).toHaveLength(1);
	expect(messages[0]).not.toContain('s3cret');
	writeFileSync(home.paths.subscriptions, '{"a": 1}');
	expect(reader.current()).toMatchObject({entries: {a: 1}});
});

test('a file that is blank holds none at the first look, and an edit may begin with it', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.subscriptions, '\n');
	const {reader, messages} = createReader(home);
	expect(reader.current()).toMatchObject({entries: {}});
	await editSubscriptions(home.paths, entries => ({...entries, a: 1}), {clock: systemClock});
	expect(reader.current()).toMatchObject({entries: {a: 1}});
	writeFileSync(home.paths.subscriptions, '{}');
	expect(reader.current()).toMatchObject({entries: {}});
	expect(messages).toEqual([]);
});

test('an edit keeps what it does not touch, and the file is 0600', async () => {
	using home = createTemporaryHome();
	const path = home.paths.subscriptions;
	writeFileSync(
		path,
		'{"old": {"secret": "s", "unknown": [1, {"x": null}]}, "__proto__": {"y": 1}}',
	);
	await editSubscriptions(home.paths, entries => ({...entries, fresh: {secret: 't'}}), {
		clock: systemClock,
	});
	expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(
		JSON.parse(
			'{"old": {"secret": "s", "unknown": [1, {"x": null}]}, "__proto__": {"y": 1}, "fresh": {"secret": "t"}}',
		),
	);
	expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an edit that changes nothing writes nothing', async () => {
	using home = createTemporaryHome();
	await editSubscriptions(home.paths, entries => entries, {clock: systemClock});
	expect(statSync(home.paths.subscriptions, {throwIfNoEntry: false})).toBeUndefined();
});

test('"A file that does not parse is never overwritten"', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.subscriptions, '{"a": ');
	const edit = editSubscriptions(home.paths, () => ({}), {clock: systemClock});
	const error = await edit.catch((thrown: unknown) => thrown);
	expect(codeOf(error)).toBe('subscriptions_broken');
	expect(messageOf(error)).toContain(home.paths.subscriptions);
	expect(readFileSync(home.paths.subscriptions, 'utf8')).toBe('{"a": ');
});

const urlOf = (path: string) =>
	JSON.stringify(new URL(`../../source/${path}`, import.meta.url).href);

const writerScript = `
	const {editSubscriptions} = await import(${urlOf('config/subscriptions.ts')});
	const {systemClock} = await import(${urlOf('core/clock.ts')});
	const [paths, name] = process.argv.slice(1);
	for (let index = 0; index < 10; index += 1) {
		await editSubscriptions(
			JSON.parse(paths),
			entries => ({...entries, [name + index]: {secret: 's'}}),
			{clock: systemClock},
		);
	}
`;

test('a file in which a key stands twice is never overwritten: one of them would be lost', async () => {
	using home = createTemporaryHome();
	const text = '{"a": {"secret": "s", "prompt": "1", "prompt": "2"}, "b": {"secret": "s"}}';
	writeFileSync(home.paths.subscriptions, text);
	const edit = editSubscriptions(home.paths, entries => ({...entries, c: {}}), {
		clock: systemClock,
	});
	await expect(edit).rejects.toThrow(/"a\.prompt" stands twice/);
	expect(readFileSync(home.paths.subscriptions, 'utf8')).toBe(text);
});

test('"Two processes that write at once lose nothing"', async () => {
	using home = createTemporaryHome();
	const exits = ['a', 'b', 'c'].map(async name => {
		const child = spawn(
			process.execPath,
			['--input-type=module', '-e', writerScript, JSON.stringify(home.paths), name],
			{stdio: ['ignore', 'ignore', 'inherit']},
		);
		const [code]: unknown[] = await once(child, 'exit');
		return code;
	});
	expect(await Promise.all(exits)).toEqual([0, 0, 0]);
	const written: unknown = JSON.parse(readFileSync(home.paths.subscriptions, 'utf8'));
	expect(Object.keys(written ?? {})).toHaveLength(30);
});

test('subscriptions that could not be read again are not written', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.subscriptions, '{"a": {}}');
	const prompt = 'x'.repeat(4 * 1024 * 1024);

	await expect(
		editSubscriptions(home.paths, entries => ({...entries, b: {prompt}}), {clock: systemClock}),
	).rejects.toMatchObject({code: 'file_too_large'});
	expect(readFileSync(home.paths.subscriptions, 'utf8')).toBe('{"a": {}}');
});
