import {toolWords, type TranscriptEntry} from '../../../core/run.ts';
import type {RunSaid} from '../../../core/state.ts';
import type {Tone} from '../../theme/theme.ts';

/** A text of a block, and the object that it comes from, by which layouts are cached. */
export type BlockPart = {
	readonly title?: string;
	readonly text: string;
	readonly isMarkdown: boolean;
	readonly from: object;
	/** The text is still growing: if there are too many rows, the last ones are shown. */
	readonly isGrowing?: true;
};

/** A step of a run: a head, and contents that can be unfolded. */
export type RunBlock = {
	/** Stays the same while the run continues, and when its journal is loaded. */
	readonly key: string;
	readonly at: number;
	readonly label: string;
	/** What the head says: the tool, its duration. */
	readonly facts: string;
	readonly sign: '' | '✓' | '✗' | '◐' | '-';
	readonly tone: Tone;
	readonly parts: readonly BlockPart[];
	/** Whether the block is unfolded by default. */
	readonly isOpen: boolean;
};

const tones: Readonly<Record<TranscriptEntry['kind'], Tone>> = {
	prompt: 'plain',
	text: 'plain',
	'tool-call': 'accent',
	'tool-result': 'accent',
	retry: 'warn',
	delivery: 'accent',
	error: 'bad',
	note: 'plain',
};

const openKinds: ReadonlySet<TranscriptEntry['kind']> = new Set([
	'text',
	'retry',
	'delivery',
	'error',
]);

type BlockOptions = {
	/** The whole answer: a block with the same text is folded by default. */
	readonly answer: string | undefined;
	/** Nothing more will come, so a call without a result stays without one. */
	readonly isOver: boolean;
	/** Which part of the prompt strangers wrote. */
	readonly untrusted: string | undefined;
};

/** The blocks of a transcript in order; a call and its result form one. */
export function blocksOf(
	entries: readonly TranscriptEntry[],
	{answer, isOver, untrusted}: BlockOptions,
): readonly RunBlock[] {
	const {resultOf, isTaken} = pairsOf(entries);
	const count = new Map<string, number>();
	const keyOf = ({at, kind, data}: TranscriptEntry): string => {
		const name = `${at} ${kind} ${textOf(data?.['call'])}`;
		const seen = count.get(name) ?? 0;
		count.set(name, seen + 1);
		return seen === 0 ? name : `${name} ${seen}`;
	};

	return entries
		.filter(entry => !isTaken.has(entry))
		.map(entry =>
			entry.kind === 'tool-call' || entry.kind === 'tool-result'
				? toolBlock(keyOf(entry), entry, {result: resultOf.get(entry), isOver})
				: {
						key: keyOf(entry),
						at: entry.at,
						label: entry.kind,
						facts: entry.kind === 'prompt' ? sizeWords(entry.text, untrusted) : '',
						sign: '',
						tone: tones[entry.kind],
						parts: [{text: entry.text, isMarkdown: entry.kind === 'text', from: entry}],
						isOpen: openKinds.has(entry.kind) && entry.text !== answer,
					},
		);
}

/** The answer being generated, shown like a complete one. */
export const wordsBlock = (said: RunSaid): RunBlock => ({
	key: 'words',
	at: said.at,
	label: 'text',
	facts: '',
	sign: '',
	tone: tones.text,
	parts: [
		{
			...(said.from > 0 && {title: `… ${said.from.toLocaleString('en')} characters before`}),
			// A half of a surrogate pair at the end is cut: the other half may follow.
			text: said.text.replace(/[\ud800-\udbff]$/, ''),
			isMarkdown: true,
			from: said,
			isGrowing: true,
		},
	],
	isOpen: true,
});

/** `1.9 kB, text of the event is untrusted`; only the size for a job fired by schedule or a person. */
export const sizeWords = (text: string, untrusted: string | undefined): string => {
	const count = Buffer.byteLength(text);
	const size = count < 1000 ? `${count} B` : `${(count / 1000).toFixed(1)} kB`;
	return untrusted === undefined ? size : `${size}, ${untrusted}`;
};

/** Pairs each call with its result. Models may reuse an id, so a result belongs to the oldest open call. */
function pairsOf(entries: readonly TranscriptEntry[]) {
	const open = new Map<string, TranscriptEntry[]>();
	const resultOf = new Map<TranscriptEntry, TranscriptEntry>();
	const isTaken = new Set<TranscriptEntry>();
	for (const entry of entries) {
		const name = textOf(entry.data?.['call']);
		if (name !== '' && entry.kind === 'tool-call') {
			open.set(name, [...(open.get(name) ?? []), entry]);
		} else if (name !== '' && entry.kind === 'tool-result') {
			const call = open.get(name)?.shift();
			if (call) {
				resultOf.set(call, entry);
				isTaken.add(entry);
			}
		}
	}

	return {resultOf, isTaken};
}

type ToolOutcome = {readonly result: TranscriptEntry | undefined; readonly isOver: boolean};

function toolBlock(
	key: string,
	entry: TranscriptEntry,
	{result = entry.kind === 'tool-result' ? entry : undefined, isOver}: ToolOutcome,
): RunBlock {
	const failed = result?.data?.['ok'] === false;
	const facts = [
		toolName(entry),
		...(result ? [approvalOf(result), durationOf(result)] : isOver ? ['no result'] : []),
	];
	return {
		key,
		at: entry.at,
		label: 'tool',
		facts: facts.filter(fact => fact !== '').join('  '),
		sign: result ? (failed ? '✗' : '✓') : isOver ? '-' : '◐',
		tone: failed ? 'bad' : 'accent',
		parts: [
			...(entry === result
				? []
				: [{title: 'arguments', text: indented(entry.text), isMarkdown: false, from: entry}]),
			...(result ? [{title: 'result', text: result.text, isMarkdown: false, from: result}] : []),
		],
		isOpen: false,
	};
}

/** `files.read_file` for `mcp__files__read_file`. */
export function toolName({data}: TranscriptEntry): string {
	const tool = textOf(data?.['tool']);
	const server = textOf(data?.['server']);
	const [, prefix = '', rest = ''] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
	if (server !== '' && tool.startsWith(`mcp__${server}__`)) {
		return `${server}.${tool.slice(server.length + 'mcp____'.length)}`;
	}

	return prefix === '' ? tool || '-' : `${prefix}.${rest}`;
}

/** How the call was approved: `allowed by rule 2`. */
function approvalOf(result: TranscriptEntry): string {
	const tool = textOf(result.data?.['tool']);
	return result.data?.['denied'] === true
		? 'denied'
		: (toolWords(result) ?? '').slice(tool.length).replace(/^, /, '');
}

/** The call's duration in milliseconds; `undefined` if unknown. */
export const tookMs = ({data}: TranscriptEntry): number | undefined =>
	typeof data?.['durationMs'] === 'number' ? data['durationMs'] : undefined;

const durationOf = (result: TranscriptEntry): string => {
	const ms = tookMs(result);
	return ms === undefined ? '' : msWords(ms);
};

/** `212 ms`, `1.2 s`. */
export const msWords = (ms: number): string =>
	ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** JSON indented; other text unchanged. */
function indented(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
