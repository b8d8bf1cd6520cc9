import {randomUUID} from 'node:crypto';
import {keepLast} from '../../core/bounds.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {isSealed, type Sealer} from '../../core/seal.ts';
import type {World} from '../../core/world.ts';
import type {StoreNotes} from '../../store/shared-port.ts';

/** Time limit of an answer, milliseconds. */
const answerMs = 5000;
/** Maximum number of unanswered calls of this member, and of calls of others under way here. */
const maxWaiting = 100;
/** Recent calls that are remembered, so that none is performed twice. */
const maxDone = 1000;
/** Maximum JSON size of an input or an answer, UTF-16 units. */
const maxLength = 512 * 1024;

/** Performs calls of one name for other members. */
type CallHandler = {
	/** Whether the thing is at this member. A call to every member is answered by the one that has it; a call addressed to this member is performed in any case. */
	readonly has: (input: JsonValue) => boolean;
	/** A rejection is passed on to the caller. */
	readonly perform: (input: JsonValue) => Promise<JsonValue>;
};

export type Calls = ReturnType<typeof createCalls>;

/** Calls between members of a cluster, sent as notes through their store. Each is performed at most once, under the rules of the member that has the thing. */
export function createCalls({
	clock,
	log,
	events,
	owner,
	node,
	sealer = () => undefined,
}: Pick<World, 'clock' | 'log'> & {
	readonly events: StoreNotes;
	/** `Shared.owner`. */
	readonly owner: string;
	/** The name of this member. */
	readonly node: string;
	/** Encrypts inputs and answers; `undefined` without a key: they are then sent as plain text. */
	readonly sealer?: () => Sealer | undefined;
}) {
	const close = (value: JsonValue, place: readonly string[]): JsonValue => {
		const text = JSON.stringify(value);
		if (text.length > maxLength) {
			throw new SvcError(
				'member_busy',
				`Cannot pass that on to another gateway: it is larger than ${maxLength / 1024} KiB`,
			);
		}

		return sealer()?.seal(text, place) ?? value;
	};

	/** `undefined` when the value is sealed with another key. */
	const open = (value: JsonValue, place: readonly string[]): JsonValue | undefined => {
		if (!isSealed(value)) {
			return value;
		}

		const text = sealer()?.open(value, place);
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was sealed as JSON
		return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
	};

	const handlers = new Map<string, CallHandler>();
	const waiting = new Map<
		string,
		ReturnType<typeof Promise.withResolvers<JsonValue | undefined>>
	>();
	const done = new Map<string, true>();
	let underWay = 0;

	const answer = (
		{id, from}: {readonly id: string; readonly from: string},
		result: JsonValue,
		refusal?: {readonly code: string; readonly message: string},
	) => events.publish({kind: 'answer', id, to: from, result, ...(refusal && {refusal})});

	const perform = async (
		handler: CallHandler,
		call: {readonly id: string; readonly from: string; readonly input: JsonValue},
	) => {
		keepLast(done, [call.id, true], maxDone);
		underWay += 1;
		try {
			const result = underWay > maxWaiting ? tooBusy() : await handler.perform(call.input);
			answer(call, close(result, ['answer', call.id]));
		} catch (error) {
			answer(call, null, {code: codeOf(error), message: messageOf(error)});
		} finally {
			underWay -= 1;
		}
	};

	const unsubscribe = events.subscribe(note => {
		if (note.kind === 'answer' && note.to === owner) {
			const asked = waiting.get(note.id);
			const {refusal} = note;
			if (refusal) {
				// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is a code of this program, or of a later version
				asked?.reject(new SvcError(refusal.code as 'member_busy', refusal.message));
			} else {
				const result = open(note.result, ['answer', note.id]);
				if (result === undefined) {
					asked?.reject(otherKey('Cannot read the answer of another gateway', node));
				} else {
					asked?.resolve(result);
				}
			}
		}

		if (note.kind !== 'call' || note.from === owner || done.has(note.id)) {
			return;
		}

		const handler = handlers.get(note.name);
		const input = open(note.input, ['call', note.id]);
		if (input === undefined && note.to === owner) {
			const {code, message} = otherKey('Cannot read what another gateway asks', node);
			answer(note, null, {code, message});
		}

		const isMeant =
			input !== undefined && (note.to === owner || (note.to === undefined && handler?.has(input)));
		if (handler && isMeant === true) {
			void perform(handler, {...note, input}).catch((error: unknown) => {
				log.warn(`Cannot answer a call of another gateway: ${messageOf(error)}`);
			});
		}
	});

	return {
		/**
		 * Asks another member and resolves with its answer; `undefined` if no member that was asked has the thing, or none answered within five seconds. An unreachable store
		 * counts as no answer.
		 *
		 * @throws SvcError with the code and the message of the member that refused; `member_busy`, `store_key_wrong` where the two have different keys
		 */
		async call(name: string, input: JsonValue, to?: string): Promise<JsonValue | undefined> {
			if (waiting.size >= maxWaiting) {
				return tooBusy();
			}

			const id = randomUUID();
			const asked = Promise.withResolvers<JsonValue | undefined>();
			waiting.set(id, asked);
			const cancel = clock.after(answerMs, () => asked.resolve(undefined));
			try {
				events.publish({
					kind: 'call',
					id,
					from: owner,
					...(to !== undefined && {to}),
					name,
					input: close(input, ['call', id]),
				});
				return await asked.promise;
			} finally {
				cancel();
				waiting.delete(id);
			}
		},
		/** Performs calls named `name` of other members from now on. */
		serve(name: string, handler: CallHandler): void {
			handlers.set(name, handler);
		},
		[Symbol.dispose]() {
			unsubscribe();
			for (const {resolve} of waiting.values()) {
				resolve(undefined);
			}
		},
	};
}

function tooBusy(): never {
	throw new SvcError(
		'member_busy',
		`Cannot ask another gateway: ${maxWaiting} calls are under way already, try again`,
	);
}

/** The two members have different database keys, or one has none. */
const otherKey = (what: string, node: string): SvcError =>
	new SvcError(
		'store_key_wrong',
		`${what}: gateway.store_key of "${node}" is missing, or is not the one of the others; set the same in its config.yaml and .env, and restart it`,
	);
