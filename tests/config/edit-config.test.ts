import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {assert, constantFrom, dictionary, jsonValue, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {parse, stringify} from 'yaml';
import {editConfig, editConfigText} from '../../source/config/edit-config.ts';
import {editYaml} from '../../source/config/edit-yaml.ts';
import {firstConfig} from '../../source/config/first-config.ts';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf} from '../../source/core/errors.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {configOf, createTemporaryHome, problemsOf} from './temporary-home.ts';

const edit = (text: string, path: Array<string | number>, value?: never) =>
	editConfigText(text, [{path, value}], 'config.yaml');
const set = (
	text: string,
	path: Array<string | number>,
	value: string | number | boolean | object,
) => editConfigText(text, [{path, value: value as never}], 'config.yaml');

const written = `# head

platforms:   # places
    webhook:
        # the port
        port:   1 # low
        host: "0.0.0.0"   # all
        routes:
            a:
                events:
                - push
                prompt: >-
                    folded
                    text

        # last words
    telegram: # later
api: {enabled: true,   port: 1}

# tail
`;

test('"Edits the program makes to `config.yaml` keep the user\'s comments and order": all other bytes stay', () => {
	expect(set(written, ['platforms', 'webhook', 'port'], 9000)).toBe(
		written.replace('port:   1 # low', 'port:   9000 # low'),
	);
	expect(set(written, ['platforms', 'webhook', 'host'], '127.0.0.1')).toBe(
		written.replace('"0.0.0.0"', '"127.0.0.1"'),
	);
	expect(set(written, ['platforms', 'webhook', 'routes', 'a', 'events', 0], 'pull')).toBe(
		written.replace('- push', '- pull'),
	);
	expect(set(written, ['api', 'port'], 2)).toBe(written.replace('port: 1}', 'port: 2}'));
});

test('a text of several lines, a list or a mapping is replaced from its key on, and nothing else moves', () => {
	const route = ['platforms', 'webhook', 'routes', 'a'];
	expect(set(written, [...route, 'prompt'], 'Look:\n\n- {title} # all\n')).toBe(
		written.replace(
			'prompt: >-\n                    folded\n                    text\n',
			'prompt: |\n                    Look:\n\n                    - {title} # all\n',
		),
	);
	expect(set(written, [...route, 'events'], ['push', 'issues'])).toBe(
		written.replace('- push', '- push\n                - issues'),
	);
	expect(set('a: [1,  2] # few\n\n\nb: 1\n', ['a'], ['x'])).toBe('a: [x] # few\n\n\nb: 1\n');
	expect(set('a:\n  b: {c: 1}\n\n\nb:   1\n', ['a', 'b'], {d: [1]})).toBe(
		'a:\n  b: {d: [1]}\n\n\nb:   1\n',
	);
});

test('a new key follows the last one of its mapping, indented as the file is', () => {
	expect(set(written, ['platforms', 'webhook', 'routes', 'b'], {events: ['x']})).toBe(
		written.replace(
			'                    text\n',
			'                    text\n            b:\n                events:\n                    - x\n',
		),
	);
	expect(set('a: 1', ['b', 'c'], true)).toBe('a: 1\nb:\n  c: true\n');
	expect(set('# only words\n', ['b'], 1)).toBe('# only words\nb: 1\n');
	expect(set('', ['b'], 1)).toBe('b: 1\n');
});

test('a new key follows its own commented-out lines, which stand below what explains it', () => {
	const text =
		'a:\n  # Number.\n  # b: 1\n  c: 2\n  # Names.\n  # d:\n  #   e: x\n\n  # of a\nd: 3\n# d:\n';
	expect(set(text, ['a', 'b'], 9)).toBe(text.replace('# b: 1\n', '# b: 1\n  b: 9\n'));
	expect(set(text, ['a', 'd', 'f'], 9)).toBe(text.replace('e: x\n', 'e: x\n  d:\n    f: 9\n'));
	expect(set('# b: 1\n# c: d\n\na: 1\n', ['c'], 2)).toBe('# b: 1\n# c: d\n\na: 1\nc: 2\n');
	expect(set('a: 1\n\n# b: 2', ['b'], 3)).toBe('a: 1\n\n# b: 2\nb: 3\n');
	// Of another mapping, a sentence, or part of a text.
	const others =
		'a:\n  b:\n    # x: 1\n    t: |\n      # x: 2\n  # xx: 3\n  c: 4\nz: 5\n  # x: 6\n';
	expect(set(others, ['a', 'x'], 9)).toBe(others.replace('c: 4\n', 'c: 4\n  x: 9\n'));
	const first = ['secret', 'port', 'routes'].reduce(
		(whole, key) => set(whole, ['platforms', 'webhook', key], {port: 1, secret: 's'}[key] ?? {}),
		firstConfig(),
	);
	expect(first).toContain('    # secret: ${WEBHOOK_SECRET}\n    secret: s\n    # Routes');
	expect(first).toMatch(/ {4}# port: \d+\n {4}port: 1\n/);
	expect(first).toContain('    #     deliver: log\n    routes: {}\n');
});

test('a new item follows the last one of its list, and nothing else moves', () => {
	const block = 'a: 1   # one\nlist:\n    # people\n    - 99   # Ann\n    - "b"\n# c\nz: 2\n';
	expect(set(block, ['list', 2], 7)).toBe(block.replace('"b"\n', '"b"\n    - 7\n'));
	const commented = 'list:\n- 99   # Ann';
	expect(set(commented, ['list', 1], '7')).toBe('list:\n- 99   # Ann\n- "7"');
	expect(set('a: {list: [1, 2], b:   3} # c\n', ['a', 'list', 2], 'x: y')).toBe(
		'a: {list: [1, 2, "x: y"], b:   3} # c\n',
	);
	const open = 'list: [\n  1, # one\n  2, # two\n]\n';
	expect(parse(set(open, ['list', 2], 3))).toEqual({list: [1, 2, 3]});
	expect(set(open, ['list', 2], 3)).toContain('# two');
});

test('settings that are commented out stay in their mapping when another one follows it', () => {
	const text = 'a:\n  b:\n    c: 1\n    # d: 2\n\n    # e:\n    #   f: 3\n# of all\ng: 4\n';
	expect(editYaml(text, {path: ['a', 'x', 'y'], value: 5})).toBe(
		text.replace('# of all', '  x:\n    y: 5\n# of all'),
	);
	expect(editYaml(text, {path: ['a', 'b', 'x'], value: 5})).toBe(
		text.replace('c: 1\n', 'c: 1\n    x: 5\n'),
	);
	expect(editYaml('a:\n  b: 1\n    # c', {path: ['a', 'x'], value: 5})).toBe(
		'a:\n  b: 1\n    # c\n  x: 5\n',
	);
});

test('comments stay where the text has to be written anew', () => {
	const opened = set(written, ['platforms', 'telegram', 'enabled'], true);
	expect(parse(opened)).toMatchObject({platforms: {telegram: {enabled: true}}});
	for (const comment of [
		'# head',
		'# places',
		'# the port',
		'# low',
		'# all',
		'# last words',
		'# later',
		'# tail',
	]) {
		expect(opened).toContain(comment);
	}

	const removed = edit(written, ['api', 'enabled']);
	expect(parse(removed)).toMatchObject({api: {port: 1}});
	expect(removed).toContain('api: {port: 1}');
	expect(removed).toContain('# low');
});

test('a path through a value that is no mapping is refused', () => {
	expect(() => set('a: text\n', ['a', 'b'], 1)).toThrow(/Cannot set a key below "a"/);
});

test.for([
	['an anchored value', 'a: &s old\nb: *s\n', ['a'], 's'],
	['an anchored value inside', 'a: {x: &s old}\nb: *s\n', ['a'], 's'],
	['an anchored mapping', 'a: &r {x: 1}\nb: *r\n', ['a', 'x'], 'r'],
	['an anchored mapping without the key', 'a: &r {x: 1}\nb: *r\n', ['a', 'y'], 'r'],
	['an alias', 'a: &r {x: 1}\nb: *r\n', ['b', 'x'], 'r'],
	['an alias further up', 'a: &r {x: {y: 1}}\nb: *r\n', ['b', 'x', 'y'], 'r'],
	['a merged mapping', 'a: &r {x: 1}\nb:\n  <<: *r\n', ['a', 'x'], 'r'],
] as const)(
	'what other places share is not changed behind their back: %s',
	([, text, path, name]) => {
		for (const change of [() => set(text, [...path], 'new'), () => edit(text, [...path])]) {
			expect(change).toThrow(
				expect.objectContaining({
					code: 'config_not_editable',
					message: `Cannot change "${path.join('.')}": its value is shared through the anchor "&${name}"; write it out in each place where "*${name}" stands`,
				}),
			);
		}
	},
);

test('what only refers to a shared value, or is shared with nobody, is changed', () => {
	expect(set('a: &s old\nb: *s\nc: *s\n', ['b'], 'new')).toBe('a: &s old\nb: new\nc: *s\n');
	expect(set('a: &s old\nb: 1\n', ['a'], 'new')).toBe('a: &s new\nb: 1\n');
	expect(set('a: [&s old, *s]\nb: 1\n', ['a'], 'new')).toBe('a: new\nb: 1\n');
	expect(set('a: &r {x: 1}\nb:\n  <<: *r\n', ['b', 'x'], 2)).toBe(
		'a: &r {x: 1}\nb:\n  <<: *r\n  x: 2\n',
	);
});

test('"A file that does not parse is never overwritten"', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, 'a: [1');
	const outcome = editConfig(home.paths, [{path: ['a'], value: 1}], {clock: systemClock});
	expect(await outcome.catch(codeOf)).toBe('config_broken');
	expect(readFileSync(home.paths.config, 'utf8')).toBe('a: [1');
});

test('a home without `config.yaml` starts from the first configuration, 0600', async () => {
	using home = createTemporaryHome();
	const edits = [{path: ['platforms', 'webhook', 'port'], value: 9000}];
	await editConfig(home.paths, edits, {clock: systemClock});
	const text = readFileSync(home.paths.config, 'utf8');
	expect(text).toContain('# Configuration of svc.');
	const loaded = home.load({config: text}, {strict: true});
	expect(configOf(loaded)).toMatchObject({webhook: {enabled: true, host: '127.0.0.1', port: 9000}});
	expect(statSync(home.paths.config).mode & 0o777).toBe(0o600);
});

test('the first configuration passes the strict check and listens on this machine alone', () => {
	using home = createTemporaryHome();
	const loaded = home.load({config: firstConfig()}, {strict: true});
	expect(problemsOf(loaded)).toEqual([]);
	expect(configOf(loaded)).toMatchObject({
		exists: true,
		webhook: {enabled: true, host: '127.0.0.1', port: 8644, refusals: []},
		model: {provider: 'auto'},
	});
	const elsewhere = home.load({config: firstConfig(), env: 'WEBHOOK_PORT=9001'}, {strict: true});
	expect(configOf(elsewhere).webhook.port).toBe(9001);
	// What is commented out is an example that works.
	const example = firstConfig().replaceAll(/^( +)# (?=secret:|routes:| {2,})/gm, '$1');
	const tried = home.load({config: example, env: 'WEBHOOK_SECRET=long-secret'}, {strict: true});
	expect(problemsOf(tried)).toEqual([]);
	expect([...configOf(tried).webhook.routes.keys()]).toEqual(['pull-requests']);
});

test('any edit of any file changes that key and no other', () => {
	const key = constantFrom('a', 'b', 'c d', '1', 'e: f', '#g');
	const value = jsonValue({maxDepth: 2});
	const document = dictionary(key, oneof(value, dictionary(key, value, {maxKeys: 3})));
	assert(
		property(
			document,
			key,
			oneof(string(), constantFrom(1, true, 'a, b', '{x', '- y')),
			(data, name, entry) => {
				const text = stringify(data);
				const result: unknown = parse(set(text, [name], entry));
				expect(result).toEqual({...(parse(text) as object), [name]: entry});
			},
		),
		{numRuns: propertyRuns(300)},
	);
});

test('what could not be read again is not written', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, written);
	const value = 'x'.repeat(1024 * 1024);

	await expect(
		editConfig(home.paths, [{path: ['note'], value}], {clock: systemClock}),
	).rejects.toMatchObject({code: 'file_too_large'});
	expect(readFileSync(home.paths.config, 'utf8')).toBe(written);
});
