import {mapTexts} from '../../config/plain-data.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import {createRedactedPieces, type RedactedPieces} from '../../core/redacted-pieces.ts';
import type {Sink} from '../chat/late-stream.ts';

/** Deltas on their way out, without the secrets of the gateway. */
export type SafeDeltas = {
	take(delta: JsonObject, logprobs: JsonObject | undefined): Promise<void>;
	/** The answer is whole: nothing is held back any more. */
	end(): Promise<void>;
};

/** A text of the answer that comes in pieces, and the delta that carries one of them. */
type Channel = {readonly pieces: RedactedPieces; readonly delta: (text: string) => JsonObject};

/**
 * Redacts what a model's server says, also where a secret lies across several deltas: each text of the message and the arguments of each call go on from delta to delta. What may be the beginning
 * of a secret is held back until the next piece, or until another text of the answer goes on, so that the order stays.
 */
export function createSafeDeltas(redact: Redact, pass: Sink['delta']): SafeDeltas {
	const channels = new Map<string, Channel>();
	let holding: ReadonlySet<string> = new Set();
	const logprobs = createSafeLogprobs();

	const textOf = (name: string, piece: string, delta: Channel['delta']): string => {
		let channel = channels.get(name);
		if (!channel) {
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
			return objectOf(call, redact);
		}

		const {arguments: written, ...named} = called;
		const text = textOf(callName(index), written, rest => ({
			tool_calls: [{index, function: {arguments: rest}}],
		}));
		return {...objectOf(others, redact), function: {...objectOf(named, redact), arguments: text}};
	};

	/** Passes on what is held of texts that `delta` does not go on with. */
	const release = async (delta: JsonObject) => {
		const calls = delta['tool_calls'];
		const goesOn = new Set([
			...Object.keys(delta),
			...(Array.isArray(calls) ? calls.filter(isJsonObject) : []).map(({index = 0}) =>
				callName(index),
			),
		]);
		const ended = [...holding].filter(name => !goesOn.has(name));
		holding = new Set([...holding].filter(name => goesOn.has(name)));
		for (const name of ended) {
			const channel = channels.get(name);
			const rest = channel?.pieces.end() ?? '';
			if (name === 'content') {
				logprobs.said('', rest, false);
			}

			// oxlint-disable-next-line no-await-in-loop -- in their order
			await (channel && rest !== '' && pass(channel.delta(rest), logprobs.take()));
		}
	};

	return {
		async take(delta, more) {
			if (holding.size > 0) {
				await release(delta);
			}

			logprobs.add(more);
			const said: Record<string, JsonValue> = {};
			for (const [name, value] of Object.entries(delta)) {
				if (name === 'tool_calls' && Array.isArray(value)) {
					said[name] = value.filter(isJsonObject).map(callOf);
				} else if (typeof value === 'string') {
					const text = textOf(name, value, rest => ({[name]: rest}));
					if (text !== '') {
						said[name] = text;
					}
				} else {
					said[name] = mapTexts(value, redact);
				}
			}

			if (Object.keys(said).length > 0) {
				await pass(said, logprobs.take());
			}
		},
		end: async () => release({}),
	};
}

const callName = (index: JsonValue): string => `tool_calls ${JSON.stringify(index)}`;

/** An object of a server's answer without secrets. Their values alone are looked at. */
export const objectOf = (value: JsonObject, redact: Redact): JsonObject => {
	const safe = mapTexts(value, redact);
	return isJsonObject(safe) ? safe : {};
};

/** Logprobs repeat the text token by token: they leave with the text when it is whole, and not at all when some of it was hidden. */
function createSafeLogprobs() {
	let waiting: readonly JsonObject[] = [];
	let asSaid = '';
	let asShown = '';
	let isHolding = false;
	return {
		add(logprobs: JsonObject | undefined) {
			if (logprobs) {
				waiting = [...waiting, logprobs];
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

			const ready = asSaid === asShown ? waiting : [];
			waiting = [];
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
