import {expect} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {oracleOf} from './oracle.ts';

// What the published specifications of the responses API require of an answer and of each event of a stream, as far as this server says it: fields that OpenAI's own
// types or those of Open Responses have as required are required here.
export const faultsOf = oracleOf('responses.schema.json');

export type Item = JsonObject & {
	readonly type: string;
	readonly id: string;
	readonly content?: ReadonlyArray<{readonly type: string; readonly text?: string}>;
};

export type ResponseObject = JsonObject & {
	readonly id: string;
	readonly status: string;
	readonly output: readonly Item[];
};

export type ResponseEvent = JsonObject & {
	readonly type: string;
	readonly sequence_number: number;
	readonly response?: ResponseObject;
	readonly item?: Item;
	readonly output_index?: number;
	readonly delta?: string;
};

const ends: ReadonlySet<string> = new Set([
	'response.completed',
	'response.incomplete',
	'response.failed',
]);

/** The events of a whole stream. Each is what the specification says, named and numbered, they begin and end as they must, and what they add up to is the response of the last. */
export function responseEvents(text: string): readonly ResponseEvent[] {
	const blocks = text.split('\n\n');
	expect(blocks.pop()).toBe('');
	const events = blocks.map((block, index) => {
		const [, name, data = ''] = /^event: (\S+)\ndata: ([^\r\n]+)$/.exec(block) ?? [];
		const event = JSON.parse(data) as ResponseEvent;
		expect({name, number: event.sequence_number}).toEqual({name: event.type, number: index});
		expect({event, faults: faultsOf(event.type, event)}).toEqual({event, faults: []});
		return event;
	});
	const types = events.map(({type}) => type);
	expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
	expect(types.filter(type => ends.has(type))).toEqual([types.at(-1)]);
	expect(new Set(events.flatMap(({response}) => response?.id ?? [])).size).toBe(1);
	const last = events.at(-1)?.response;
	const done = events
		.filter(({type}) => type === 'response.output_item.done')
		.toSorted((one, other) => Number(one.output_index) - Number(other.output_index));
	expect(done.map(({item}) => item)).toEqual(last?.output);
	const added = events.filter(({type}) => type === 'response.output_item.added');
	expect(added.map(event => event.output_index)).toEqual(added.map((_, index) => index));
	// One that fails may leave off in the middle of an item.
	expect(last?.status === 'failed' || done.length === added.length).toBe(true);
	for (const {item, output_index: index} of done) {
		expect(saidOf(events, index)).toEqual(wordsOf(item));
	}

	return events;
}

const saidOf = (events: readonly ResponseEvent[], index: number | undefined): string =>
	events
		.filter(event => event.output_index === index)
		.map(({delta}) => delta ?? '')
		.join('');

const wordsOf = (item: JsonObject = {}): string => {
	const {
		content,
		summary,
		arguments: given,
		input,
	} = item as {
		content?: Array<{text?: string; refusal?: string}>;
		summary?: Array<{text: string}>;
		arguments?: string;
		input?: string;
	};
	const parts = (content ?? summary ?? []).map(part => Object.values({...part, type: ''}));
	return given ?? input ?? parts.map(values => values.find(one => one !== '') ?? '').join('');
};

/** All texts of an answer. */
export const textOf = ({output}: ResponseObject): string =>
	output.flatMap(({content = []}) => content.map(({text = ''}) => text)).join('');
