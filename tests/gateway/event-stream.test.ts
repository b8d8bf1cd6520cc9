import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	readEventStream,
	streamMessage,
	type StreamedMessage,
	type StreamedName,
} from '../../source/gateway/control/event-stream.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

/** The bytes of `text`, cut before each of `places`. */
async function* cutAt(text: string, places: readonly number[]): AsyncGenerator<Uint8Array> {
	const bytes = Buffer.from(text);
	const cuts = places.map(place => place % (bytes.length + 1)).toSorted((a, b) => a - b);
	let from = 0;
	for (const cut of [...cuts, bytes.length]) {
		yield bytes.subarray(from, cut);
		from = cut;
	}
}

async function read(
	text: string,
	{places = [], maxLength}: {readonly places?: readonly number[]; readonly maxLength?: number} = {},
): Promise<readonly StreamedMessage[]> {
	const stream = readEventStream(cutAt(text, places), maxLength === undefined ? {} : {maxLength});
	return Array.fromAsync(stream);
}

/** Any text, above all of what ends a line, a character or a message somewhere. */
const hostileText = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				...Array.from('\u2028\u2029\u0085\v\f\r\n\u001C\u001D\u001E\0\uFEFF'),
				'\uD800',
				'\uDC00',
				'\r\n',
				'\n\n',
				'data: ',
				'event: state\n',
				'日',
				'👩‍👩‍👧',
				'\uDFFF\uD83D',
				'x'.repeat(5000),
			),
			fc.string({unit: 'binary'}),
		),
		{maxLength: 12},
	)
	.map(parts => parts.join(''));

const messages = fc.array(
	fc.record({
		name: fc.constantFrom<StreamedName>('state', 'events'),
		value: fc.oneof(
			hostileText,
			fc.dictionary(hostileText, hostileText, {noNullPrototype: true, maxKeys: 4}),
			fc.array(hostileText, {maxLength: 4}),
		),
	}),
	{maxLength: 5},
);

const places = fc.array(fc.nat(), {maxLength: 30});

/** The property of a message is not its prototype. */
const asRead = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('what is written is what is read, whatever it holds and wherever its bytes are cut', async () => {
	await fc.assert(
		fc.asyncProperty(messages, places, async (written, cuts) => {
			const text = written.map(({name, value}) => streamMessage(name, value)).join('');
			// No reader of lines finds one more than there are.
			for (const end of '\u0085\u2028\u2029\v\f\r\u001C\u001D\u001E') {
				expect(text).not.toContain(end);
			}

			expect(await read(text, {places: cuts})).toEqual(asRead(written));
		}),
		{numRuns: propertyRuns(60)},
	);
});

test('only what the standard ends a line with ends one, also where a writer escapes nothing', async () => {
	const text = JSON.stringify('a\u2028b\u2029c\u0085d');
	for (const end of ['\n', '\r\n']) {
		const sent = `event: state${end}data: ${text}${end}${end}`;
		// oxlint-disable-next-line no-await-in-loop -- one stream after the other
		expect(await read(sent)).toEqual([{name: 'state', value: 'a\u2028b\u2029c\u0085d'}]);
	}
});

const good = streamMessage('events', ['日']);

const broken: ReadonlyArray<readonly [sent: string, reason: string]> = [
	['event: events\ndata: [secret\n\n', 'its 7 characters are no JSON'],
	['event: secret\ndata: {}\n\n', 'it is neither a state nor events'],
];

test('what cannot be read is said without a word of it, and the next message is whole', async () => {
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...broken), places, async ([sent, unreadable], cuts) => {
			const value = {name: 'events', value: ['日']};
			const [first, skipped, ...rest] = await read(good + sent + good, {places: cuts});
			expect([first, ...rest]).toEqual([value, value]);
			expect(skipped).toMatchObject({unreadable});
		}),
		{numRuns: 30},
	);
});

test.each([
	['a field that a later version may add', 'future: x\n'],
	['a line without a field', 'hello\n'],
	['a pause that is no number', 'retry: soon\n'],
	['a comment', ': x\n'],
])('"If the field name is anything else the field is ignored": %s', async (_, line) => {
	const value = {name: 'events', value: ['日']};
	const sent = `${line}event: events\n${line}data: ["日"]\n${line}\n`;
	expect(await read(`${line}\n${sent}${good}`)).toEqual([value, value]);
});

test('a message that is too long is dropped, and the next one is whole wherever both are cut', async () => {
	const long = streamMessage('state', 'x'.repeat(300));
	const value = {name: 'events', value: ['日']};
	const unreadable = 'it has more than 200 characters';
	// Its first 250 bytes come in one piece: it is longer than what may be held, whatever follows.
	const from = good.length + 2 + 250;
	await fc.assert(
		fc.asyncProperty(fc.array(fc.nat(100), {maxLength: 30}), async cuts => {
			const found = await read(good + long + good, {
				places: [from, ...cuts.map(cut => from + cut)],
				maxLength: 200,
			});
			expect(found).toEqual([value, {unreadable}, value]);
		}),
		{numRuns: propertyRuns(60)},
	);
});

test('a message without an end is dropped when it is too long, and only once', async () => {
	const text = `event: state\ndata: ${'x'.repeat(1000)}`;
	const cuts = Array.from({length: 100}, (_, index) => index * 10);
	expect(await read(text, {places: cuts, maxLength: 200})).toEqual([
		{unreadable: 'it has more than 200 characters'},
	]);
});
