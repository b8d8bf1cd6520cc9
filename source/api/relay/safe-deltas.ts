import {isDeepStrictEqual} from 'node:util';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {
	redactJson,
	type Redact,
	createRedactedPieces,
	type RedactedPieces,
} from '../../core/redact.ts';
import {garbled} from './upstream-failure.ts';

/** Passes on what may leave. */
type PassOn = (delta: JsonObject, logprobs: JsonObject | undefined) => void;

/** A text of the answer that comes in pieces, and the delta that carries one of them. */
type Channel = {readonly pieces: RedactedPieces; readonly delta: (text: string) => JsonObject};

/** Texts of an answer, texts inside of its other members, and logprobs that wait for their text: a server may send as many as it likes. */
const maxTexts = 1024;

/**
 * Redacts what a model's server says, also where a secret lies across several deltas: each text of the message and the arguments of each call go on from delta to delta. What may be the beginning
 * of a secret is held back until the next piece, or until another text of the answer goes on, so that the order stays; from six characters on it stays held back then, too.
 *
 * Texts inside of other members (names of calls, details of thoughts) go on by their paths. Of them six characters and more that begin a secret are held back, and come with the next piece or not
 * at all, since there is no delta that would carry the rest alone.
 *
 * Deltas leave through `passOn` as they become safe: those before a failure have left.
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

	/** Passes on what is held of texts that `delta` does not go on with. */
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

/** Logprobs repeat the text token by token: they leave with the text when it is whole, and not at all when some of it was hidden, or they hold what the text does not. */
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
		/** Of the text `said` came in, and `shown` leaves. */
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
