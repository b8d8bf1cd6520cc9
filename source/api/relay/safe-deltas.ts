import {isDeepStrictEqual} from 'node:util';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {
	redactJson,
	type Redact,
	createRedactedPieces,
	type RedactedPieces,
} from '../../core/redact.ts';
import {garbled} from './upstream-failure.ts';

/** Passes on a redacted delta that may be sent. */
type PassOn = (delta: JsonObject, logprobs: JsonObject | undefined) => void;

/** A text of the answer that arrives in pieces, and how to make a delta of a piece. */
type Channel = {readonly pieces: RedactedPieces; readonly delta: (text: string) => JsonObject};

/** Limit of texts in an answer, of nested texts in its other members, and of logprobs waiting for their text: a server may send any number. */
const maxTexts = 1024;

/**
 * Redacts what a model's server sends, even secrets that span several deltas: each text of the message and the arguments of each call continue from delta to delta. The
 * possible beginning of a secret is held back until the next piece, or until another text of the answer continues, to keep the order; if it has six or more characters it
 * stays held back even then.
 *
 * Nested texts of other members (names of calls, details of reasoning) continue by path. If six or more of their characters begin a secret they are held back, and are sent
 * with the next piece or not at all, since no delta could carry the rest alone.
 */
export function createSafeDeltas(redact: Redact, passOn: PassOn) {
	const channels = new Map<string, Channel>();
	let holding: ReadonlySet<string> = new Set();
	const inner = new Map<string, RedactedPieces>();
	const logprobs = createSafeLogprobs(redact);

	const hideInner = (text: string, path: string | undefined): string => {
		if (path === undefined) {
			return redact(text);
		}

		let pieces = inner.get(path);
		if (!pieces) {
			if (inner.size >= maxTexts) {
				inner.clear();
			}

			pieces = createRedactedPieces(redact);
			inner.set(path, pieces);
		}

		return pieces.add(text) + pieces.pause();
	};

	const textOf = (name: string, piece: string, delta: Channel['delta']): string => {
		let channel = channels.get(name);
		if (!channel) {
			if (channels.size >= maxTexts) {
				throw garbled(`it says more than ${maxTexts} texts`);
			}

			channel = {pieces: createRedactedPieces(redact), delta};
			channels.set(name, channel);
		}

		const text = channel.pieces.add(piece);
		if (name === 'content') {
			logprobs.said(piece, text, channel.pieces.isHolding);
		}

		if (channel.pieces.isHolding) {
			holding = new Set([...holding, name]);
		} else if (holding.size > 0) {
			holding = new Set([...holding].filter(one => one !== name));
		}

		return text;
	};

	const callOf = (call: JsonObject): JsonObject => {
		const {function: called, ...others} = call;
		const {index = 0} = call;
		if (!isJsonObject(called) || typeof called['arguments'] !== 'string') {
			return redactJson(call, hideInner, callName(index));
		}

		const {arguments: written, ...named} = called;
		const text = textOf(callName(index), written, rest => ({
			tool_calls: [{index, function: {arguments: rest}}],
		}));
		const safe = redactJson({...others, function: named}, hideInner, callName(index));
		return {...safe, function: {...objectIn(safe['function']), arguments: text}};
	};

	/** Releases what is held back of texts that `delta` does not continue. */
	const release = (delta: JsonObject, isWhole: boolean) => {
		const calls = delta['tool_calls'];
		const goesOn = new Set([
			...Object.keys(delta),
			...(Array.isArray(calls) ? calls.filter(isJsonObject) : []).map(({index = 0}) =>
				callName(index),
			),
		]);
		const ended = [...holding].filter(name => !goesOn.has(name));
		for (const name of ended) {
			const channel = channels.get(name);
			const rest = (isWhole ? channel?.pieces.end() : channel?.pieces.pause()) ?? '';
			const isHolding = channel?.pieces.isHolding === true;
			if (!isHolding) {
				holding = new Set([...holding].filter(one => one !== name));
			}

			if (name === 'content') {
				logprobs.said('', rest, isHolding);
			}

			if (channel && rest !== '') {
				passOn(channel.delta(rest), logprobs.take());
			}
		}
	};

	return {
		take(delta: JsonObject, more: JsonObject | undefined): void {
			if (holding.size > 0) {
				release(delta, false);
			}

			logprobs.add(more);
			const said: Record<string, JsonValue> = {};
			for (const [told, value] of Object.entries(delta)) {
				const name = redact(told);
				if (name === 'tool_calls' && Array.isArray(value)) {
					said[name] = value.filter(isJsonObject).map(callOf);
				} else if (typeof value === 'string') {
					const text = textOf(name, value, rest => ({[name]: rest}));
					if (text !== '') {
						said[name] = text;
					}
				} else {
					said[name] = redactJson(value, hideInner, name);
				}
			}

			if (Object.keys(said).length > 0) {
				passOn(said, logprobs.take());
			}
		},
		/** The answer is whole: nothing is held back any more. */
		end: () => release({}, true),
	};
}

const callName = (index: JsonValue): string => `tool_calls ${JSON.stringify(index)}`;

const objectIn = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Logprobs repeat the text token by token: they are sent with the text once it is complete, and not at all if some of it was redacted, or they contain other text. */
function createSafeLogprobs(redact: Redact) {
	let waiting: JsonObject[] = [];
	let asSaid = '';
	let asShown = '';
	let isHolding = false;
	let areTooMany = false;
	return {
		add(logprobs: JsonObject | undefined) {
			if (logprobs && waiting.push(logprobs) > maxTexts) {
				waiting = [];
				areTooMany = true;
			}
		},
		/** Records that text `said` was received and `shown` is sent. */
		said(said: string, shown: string, holds: boolean) {
			if (waiting.length === 0 && !holds && !isHolding) {
				return;
			}

			asSaid += said;
			asShown += shown;
			isHolding = holds;
		},
		take(): JsonObject | undefined {
			if (isHolding) {
				return undefined;
			}

			const isSafe =
				waiting.length === 0 ||
				(asSaid === asShown && isDeepStrictEqual(redactJson(waiting, redact), waiting));
			const ready = isSafe && !areTooMany ? waiting : [];
			waiting = [];
			areTooMany = false;
			asSaid = '';
			asShown = '';
			const [first, ...others] = ready;
			return others.reduce<JsonObject | undefined>(joined, first);
		},
	};
}

const joined = (one: JsonObject | undefined, other: JsonObject): JsonObject => ({
	...one,
	...Object.fromEntries(
		Object.entries(other).map(([name, value]) => {
			const before = one?.[name];
			return [name, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value];
		}),
	),
});
