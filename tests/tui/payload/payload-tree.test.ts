import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {PayloadField} from '../../../source/tui/payload/payload-field.ts';
import {payloadLimits, payloadTree} from '../../../source/tui/payload/payload-tree.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';

const encode = (text: string) => new TextEncoder().encode(text);

const tree = (value: unknown) => payloadTree(encode(JSON.stringify(value)));

test('JSON reads like YAML', () => {
	const {lines} = tree({
		action: 'opened',
		number: 4211,
		pull_request: {draft: true, labels: ['bug', {name: 'p2', colors: [1, 2]}], empty: {}, none: []},
		'odd key': null,
	});

	expect(lines).toEqual([
		'action: "opened"',
		'number: 4211',
		'pull_request:',
		'  draft: true',
		'  labels:',
		'    - "bug"',
		'    - name: "p2"',
		'      colors:',
		'        - 1',
		'        - 2',
		'  empty: {}',
		'  none: []',
		'"odd key": null',
	]);
});

test.for<[string, readonly string[]]>([
	['[]', ['[]']],
	['{}', ['{}']],
	['"text"', ['"text"']],
	['7', ['7']],
	['[[1,2],[]]', ['- - 1', '  - 2', '- []']],
	['{"a":"\\u65e5\\n"}', [String.raw`a: "日\n"`]],
	['a=1&b=2', ['a=1&b=2']],
	['{"a":', ['{"a":']],
	['{"a":1}}', ['a: 1']],
	['not json\nat all', ['not json', 'at all']],
	['', ['']],
])('%s becomes %o', ([text, expected]) => {
	expect(payloadTree(encode(text)).lines).toEqual(expected);
});

test('every scalar of any JSON is on a line of its own', () => {
	const scalars = (value: unknown): number =>
		typeof value === 'object' && value !== null && Object.keys(value).length > 0
			? Object.values(value).reduce((sum: number, member) => sum + scalars(member), 0)
			: 1;
	fc.assert(
		fc.property(fc.jsonValue({maxDepth: 4}), value => {
			const {lines} = tree(value);
			const ends = lines.filter(line => !line.endsWith(':'));
			expect(ends.length).toBe(scalars(value));
		}),
	);
});

test('of a body beyond 64 kB the beginning is shown, and said to be cut', () => {
	const {lines, isCut} = tree({list: Array.from({length: 40_000}, (_, index) => index)});

	expect(isCut).toBe(true);
	expect(lines.slice(0, 3)).toEqual(['list:', '  - 0', '  - 1']);
	expect(lines.length).toBeLessThanOrEqual(payloadLimits.lines);
});

test('hostile text is made visible and counted', () => {
	const {lines, flags} = tree({title: 'a\u202Eb'});

	expect(lines).toEqual([String.raw`title: "a\u{202e}b"`]);
	expect(flags).toBe(1);
	for (const attack of attackCorpus) {
		for (const body of [attack, JSON.stringify({[attack]: [attack]})]) {
			const shown = payloadTree(encode(body)).lines;
			expect(foreignSequences(shown.join('\n'))).toEqual([]);
			expect(shown.every(line => line.length <= payloadLimits.columns)).toBe(true);
		}
	}
});

test('each line of JSON says which field it shows', () => {
	const {lines, fields} = tree({
		action: 'opened',
		pull_request: {draft: true, labels: [{name: 'bug'}, 'p2', []], 'odd.key': null},
	});

	expect(lines.map((line, index) => [line.trim(), fields[index]?.path.join('/')])).toEqual([
		['action: "opened"', 'action'],
		['pull_request:', 'pull_request'],
		['draft: true', 'pull_request/draft'],
		['labels:', 'pull_request/labels'],
		['- name: "bug"', 'pull_request/labels/0/name'],
		['- "p2"', 'pull_request/labels/1'],
		['- []', 'pull_request/labels/2'],
		['odd.key: null', 'pull_request/odd.key'],
	]);
	expect(fields.map(field => field?.json)).toEqual([
		'"opened"',
		undefined,
		'true',
		undefined,
		'"bug"',
		'"p2"',
		undefined,
		'null',
	]);
});

/** Whether the path of the field leads to its value from `root`. */
function leadsTo({path, json}: PayloadField, root: unknown): boolean {
	let value: unknown = JSON.parse(JSON.stringify(root));
	for (const name of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
			return false;
		}

		value = Object.getOwnPropertyDescriptor(value, name)?.value;
	}

	return json === undefined ? typeof value === 'object' : value === JSON.parse(json);
}

test('the field of every line is where its path leads', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue({maxDepth: 4})), value => {
			const {fields} = tree(value);
			expect(fields.filter(field => field && !leadsTo(field, value))).toEqual([]);
		}),
	);
});
