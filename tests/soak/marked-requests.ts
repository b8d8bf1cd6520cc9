import type {Approval, FormField} from '../../source/core/approval.ts';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {
	makeShownTool,
	makeField,
	makeFormApproval,
	makeToolApproval,
} from '../helpers/make-approval.ts';

/** Something whose every part carries marks of its own: what the screen has shown of it can be read off the screen. */
export type Marked = {
	readonly id: number;
	/** Everything that has to be on the screen: single characters, and words. */
	readonly marks: ReadonlySet<string>;
	/** Those of the arguments. */
	readonly inArguments: ReadonlySet<string>;
};

export type MarkedRequest = Marked & {readonly approval: Approval};

/** An install link. */
export type MarkedLink = Marked & {
	readonly link: string;
	readonly name: string;
	readonly isProgram: boolean;
};

/** Marks in a text: characters of a block that nothing else on the screen is made of, and numbered words. */
export const marksIn = (text: string): readonly string[] =>
	text.match(/[\u4e00-\u9fff]|\b(?:name|server|host|route)\d+_\d+\b/g) ?? [];

const firstMark = 0x4e00;
const marksEach = 4000;

/** Requests that may wait at a time: each has characters of its own. */
export const maxMarked = 5;

type Random = {
	readonly upTo: (count: number) => number;
	readonly pick: <Item>(items: readonly Item[]) => Item;
};

/** Marks of a slot (below `maxMarked`), each once, and texts with such marks. */
function marking(slot: number, {upTo, pick}: Random) {
	let used = 0;
	const mark = () => String.fromCharCode(firstMark + slot * marksEach + used++);
	return {
		mark,
		/** `count` marks with text between them that is the same everywhere. */
		text: (count: number, most: number): string =>
			Array.from({length: count}, () => mark() + 'x'.repeat(upTo(most))).join(
				pick(['', ' ', '  ']),
			),
	};
}

/** Of a tool server that is there already. */
export const takenName = 'taken';

/** A link to a random program, or to a server elsewhere. */
export function markedLink(
	{id, slot}: {readonly id: number; readonly slot: number},
	random: Random,
): MarkedLink {
	const {upTo, pick} = random;
	const {text} = marking(slot, random);
	const isProgram = upTo(2) === 0;
	const texts = (count: number) => Array.from({length: count}, () => text(1 + upTo(6), 12));
	// No header holds the characters of marks.
	const values = texts(pick([1, 3, 8, 20])).map((one, at) =>
		isProgram ? one : `name${id}_${at} ${'x'.repeat(upTo(100))}`,
	);
	const named = Object.fromEntries(values.map((one, at) => [`N_${at}`, one]));
	const config = isProgram
		? {command: 'npx', args: texts(upTo(12)), env: named}
		: {url: 'https://crm.example/mcp', headers: named};
	const name = pick([`server${id}_0`, `server${id}_0`, takenName]);
	const json = JSON.stringify(config);
	return {
		id,
		name,
		isProgram,
		link: `svc://mcp/install?name=${name}&config=${Buffer.from(json).toString('base64url')}`,
		marks: new Set(marksIn(`${name} ${json}`)),
		inArguments: new Set(),
	};
}

/** A request with random arguments, or a random form; `slot` (below `maxMarked`) says which characters are its marks. */
export function markedRequest(
	{id, slot, now}: {readonly id: number; readonly slot: number; readonly now: number},
	random: Random,
): MarkedRequest {
	const {upTo, pick} = random;
	let named = 0;
	const {mark, text} = marking(slot, random);
	const name = (): string => {
		const plain = `name${id}_${named++}`;
		return pick([plain, plain, plain, `${mark()} "${text(upTo(20), 6)}`, `${text(3, 40)}\n"x": 1`]);
	};
	const value = (depth: number): JsonValue => {
		const kind = depth > 2 ? 0 : upTo(8);
		if (kind === 6) {
			return Array.from({length: 1 + upTo(4)}, () => value(depth + 1));
		}

		return kind === 7
			? Object.fromEntries(Array.from({length: 1 + upTo(4)}, () => [name(), value(depth + 1)]))
			: pick([
					() => text(1, 8),
					() => text(1 + upTo(6), 12),
					() => text(1 + upTo(30), 12),
					() => Array.from({length: 1 + upTo(12)}, () => text(1 + upTo(3), 12)).join('\n'),
					() => `${text(1, 4)}${' '.repeat(upTo(200))}${text(1, 4)}`,
				])();
	};

	const base = {
		id,
		run: 100 + upTo(5),
		requestedAt: now,
		deadline: now + 271_000,
		latestDeadline: now + 900_000,
		// The sheet names a route beside the delivery that the run is of.
		route: `route${id}_0`,
		delivery: 'd7f2b0',
	};
	const isForm = upTo(100) < 15;
	const isHuge = !isForm && upTo(100) < 6;
	const args: JsonObject = isHuge
		? {text: text(120, 20) + 'x'.repeat(21_000) + mark()}
		: Object.fromEntries(
				Array.from({length: pick([0, 1, 2, 3, 5, 8, 20])}, () => [name(), value(0)]),
			);
	const approval: Approval = isForm
		? makeFormApproval({
				...base,
				server: `server${id}_0`,
				host: `host${id}_0`,
				message: text(1 + upTo(40), 12),
				fields: Array.from({length: 1 + upTo(9)}, (_, index): FormField => {
					const field = {key: `f${index}`, title: text(1 + upTo(4), 8), description: ''};
					return pick([
						() => makeField({...field, initial: text(1 + upTo(20), 12)}),
						() => makeField({...field, description: text(1 + upTo(20), 12)}),
						() => makeField({...field, kind: 'boolean'} as const),
						() =>
							makeField({
								...field,
								kind: 'choices',
								options: Array.from({length: 1 + upTo(4)}, (__, option) => ({
									value: `o${option}`,
									title: text(1 + upTo(5), 30),
								})),
							}),
					])();
				}),
			})
		: makeToolApproval({
				...base,
				tool: makeShownTool({
					tool: pick(['create_issue', 'rm', 'a']),
					server: `server${id}_0`,
					host: `host${id}_0`,
				}),
				args,
				argsBytes: JSON.stringify(args).length,
				mustTypeName: upTo(100) < 30,
				...pick([
					{scopes: ['once']},
					{scopes: ['once', 'run']},
					{scopes: ['once', 'run', 'process', 'always']},
					{
						scopes: ['once', 'run', 'always'],
						lasting: {owner: {kind: 'job', id: 'job_1', name: 'nightly'}, isBound: true},
					},
				] as const),
			});
	const inArguments = new Set(marksIn(approval.kind === 'tool' ? JSON.stringify(args) : ''));
	const asked = approval.kind === 'tool' ? '' : JSON.stringify([approval.message, approval.fields]);
	return {
		id,
		approval,
		inArguments,
		marks: new Set([
			...inArguments,
			...marksIn(asked),
			...marksIn(`server${id}_0 host${id}_0 route${id}_0`),
		]),
	};
}
