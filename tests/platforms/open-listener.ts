import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createRedact} from '../../source/core/redact.ts';
import type {Hearing, InboundMessage, Listener, Press} from '../../source/platforms/listener.ts';
import {targetKinds} from '../../source/platforms/platforms.ts';
import {createPost} from '../../source/platforms/post.ts';
import {createOpenSocket} from '../../source/platforms/socket.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createWatch} from '../helpers/watch.ts';

/** When the clock of a listener stands still, milliseconds since 1970. */
export const startMs = 1_700_000_000_000;

/** A disk that keeps what a listener hands over, beyond the listeners that write to it: messages once, in their order, and the last cursor. */
export function createHeard() {
	const messages = new Map<string, InboundMessage>();
	return {
		messages,
		/** What came again. */
		again: [] as string[],
		presses: [] as Press[],
		said: [] as Array<readonly [chat: string, text: string]>,
		notes: [] as Array<string | undefined>,
		cursor: undefined as JsonValue | undefined,
		/** What the next writes come to, instead of being written. */
		failures: [] as Error[],
	};
}

export type Heard = ReturnType<typeof createHeard>;

function recordOf(kind: string) {
	const record = targetKinds.find(one => one.kind === kind);
	if (!record?.listens) {
		throw new Error(`nobody listens to "${kind}"`);
	}

	return {...record, listens: record.listens};
}

/** The settings of a platform that is listened to, as they are written below `platforms`. */
export const settingsOf = async (kind: string, written: JsonObject): Promise<unknown> =>
	recordOf(kind).settings?.parseAsync({enabled: true, inbound: true, ...written});

/** The listener of a platform with these settings, on a clock that stands still. `listen` is one connection of it. */
export async function openListener(
	kind: string,
	written: JsonObject,
	{
		heard = createHeard(),
		allowed = [],
		onMessages = async () => {},
		onPress = async () => 'Allowed',
	}: Partial<Pick<Hearing, 'onMessages' | 'onPress'>> & {
		readonly heard?: Heard;
		readonly allowed?: readonly string[];
	} = {},
) {
	const record = recordOf(kind);
	const clock = createFakeClock(startMs);
	const hidden: string[] = [];
	const clean = createRedact(() => [...hidden]);
	const {post, ...connections} = createPost({clock, clean});
	const settings = await settingsOf(kind, written);
	const module = await record.listens.load();
	const listener: Listener = module.createListener(settings, {
		clock,
		clean,
		post,
		log: silentLogger,
		hide: secret => hidden.push(secret),
		openSocket: createOpenSocket({clock, clean}),
		random: () => 0.5,
	});
	const {look, until} = createWatch();
	const ending = new AbortController();
	const running = new Set<Promise<void>>();
	return {
		clock,
		heard,
		hidden,
		lacks: record.listens.lacks?.(settings),
		/** One connection; resolves or rejects with its end. */
		async listen(signal: AbortSignal = ending.signal): Promise<void> {
			const connection = listener.listen(
				{
					onListening(note) {
						heard.notes.push(note);
						look();
					},
					async onMessages(messages, cursor) {
						const failure = heard.failures.shift();
						if (failure) {
							throw failure;
						}

						for (const message of messages) {
							if (heard.messages.has(message.id)) {
								heard.again.push(message.id);
							} else {
								heard.messages.set(message.id, message);
							}
						}

						if (cursor !== undefined) {
							heard.cursor = structuredClone(cursor);
						}

						await onMessages(messages, cursor);
						look();
					},
					async onPress(press) {
						heard.presses.push(press);
						const told = await onPress(press);
						look();
						return told;
					},
					say(chat, text) {
						heard.said.push([chat, text]);
						look();
					},
					isAllowed: user => allowed.includes(user),
				},
				{cursor: heard.cursor, signal: AbortSignal.any([signal, ending.signal])},
			);
			const ended = connection.catch(() => {});
			running.add(ended);
			void ended.finally(() => {
				running.delete(ended);
				look();
			});
			return connection;
		},
		/** Resolves once `holds` does; looked at after each thing that is heard. */
		until,
		async [Symbol.asyncDispose]() {
			ending.abort();
			await Promise.all(running);
			await connections[Symbol.asyncDispose]();
		},
	};
}
