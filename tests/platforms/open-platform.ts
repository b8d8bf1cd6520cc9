import type {Config} from '../../source/config/config.ts';
import type {PlatformView} from '../../source/core/config-view.ts';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {Memos} from '../../source/core/memos.ts';
import {createRedact} from '../../source/core/redact.ts';
import {createDeliverer} from '../../source/delivery/create-deliverer.ts';
import {outgoingText} from '../../source/delivery/create-deliverer.ts';
import type {OutgoingMessage} from '../../source/platforms/outgoing-message.ts';
import {targetKinds} from '../../source/platforms/platforms.ts';
import {createPost} from '../../source/platforms/post.ts';
import type {SenderWorld, TargetKind} from '../../source/platforms/target-kind.ts';
import {makeMessage} from '../delivery/delivery-fixture.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {openService, type Call, type Reply} from './service.ts';

type Code =
	| 'platform_failed'
	| 'platform_rate_limited'
	| 'platform_rejected'
	| 'platform_unauthorized';

/** How the service behind a platform speaks, as its documentation has it. */
export type Speech = {
	readonly kind: string;
	/** The list that it stands in; that of this version when absent. */
	readonly kinds?: readonly TargetKind[];
	/** What stands below `platforms.<kind>`, for a service at `url`; `enabled` is added. */
	readonly settings: (url: string) => JsonObject;
	/** `deliver_extra` of a message that arrives. */
	readonly extra: JsonObject;
	/** Values of `chat_id` that are refused before anything is asked. */
	readonly refused: readonly JsonValue[];
	/** Answers requests; throws for one that the real service would not take: path, method, authentication and body are looked at. Made anew for each service, of which it may keep a state. */
	readonly serve: () => (call: Call) => Reply;
	/** Whether a request sends a message; others are checks, logins, edits. */
	readonly isSending: (call: Call) => boolean;
	/** The text of a message, as it is sent. */
	readonly textOf: (call: Call) => string;
	/** By what the service knows a message again. Of kinds with `keyWindowMs`. */
	readonly keyOf?: (call: Call) => unknown;
	/** Its answers that are no success, with what they mean. */
	readonly failures: ReadonlyArray<{
		readonly name: string;
		readonly reply: Reply;
		readonly code: Code;
		/** The wait that the service tells, or that is known of it, milliseconds. */
		readonly waitMs?: number;
	}>;
	/** Requests that change a message, the text that they put there, and answers by which it cannot be changed. Of kinds with `edits`. */
	readonly changes?: {
		readonly isChange: (call: Call) => boolean;
		readonly textOf: (call: Call) => string;
		readonly refusals: readonly Reply[];
	};
	/** Its answer to the connect check of wrong credentials; absent: there is no check. */
	readonly refusal?: Reply;
	/** Texts that no message of ours may show, whatever the service quotes. */
	readonly secrets: readonly string[];
	/** How long a message is as the service counts, and how long it may be. */
	readonly measure: (call: Call) => number;
	readonly limit: number;
	/** Matches in `textOf` what would notify somebody; absent: no text does, and `serve` takes nothing beside it that would. */
	readonly mention?: RegExp;
};

type Written = {readonly written?: JsonObject};

/** The service, the clock and the settings of a platform. */
export async function openWorld(speech: Speech, {written = {}}: Written) {
	const {kind, kinds = targetKinds, settings, serve, isSending} = speech;
	const clock = createFakeClock(1_700_000_000_000);
	const service = await openService(serve(), isSending);
	const record = kinds.find(one => one.kind === kind);
	if (!record) {
		throw new Error(`there is no platform "${kind}"`);
	}

	const value: unknown = await record.settings?.parseAsync({
		enabled: true,
		...settings(service.url),
		...written,
	});
	return {clock, service, record, kinds, value};
}

/** What sends, without what repeats, queues and keeps. */
export async function openSender(speech: Speech, options: Written = {}) {
	const {clock, service, record, value} = await openWorld(speech, options);
	const hidden: string[] = [];
	// The gateway keeps out of messages what it was told to hide.
	const clean = createRedact(() => [...hidden]);
	const {post, ...connections} = createPost({clock, clean});
	const world: SenderWorld = {
		clock,
		post,
		log: silentLogger,
		clean,
		hide: secret => hidden.push(secret),
		environment: () => ({}),
		profileEnvironment: () => ({}),
		sign: text => text,
		killed: new AbortController().signal,
	};
	const sender = (await record.load()).connect(value, world);
	return {
		clock,
		service,
		hidden,
		sender,
		/** Sends all messages of a text, each with a key of its own. */
		async send(text: string, extra = speech.extra, overrides: Partial<OutgoingMessage> = {}) {
			const place = record.check(extra, value);
			if (!place.ok) {
				throw new Error(place.problem);
			}

			const message = makeMessage(speech.kind, extra, {
				...overrides,
				text: outgoingText(text, record.text),
			});
			const texts = sender.split?.(message.text, place.value) ?? [message.text];
			for (const [index, part] of texts.entries()) {
				// oxlint-disable-next-line no-await-in-loop -- in their order
				await sender.send({...message, text: part}, place.value, {
					index,
					of: texts.length,
					key: String(index).padStart(25, '0'),
					limitMs: 30_000,
					signal: new AbortController().signal,
				});
			}
		},
		async [Symbol.asyncDispose]() {
			await connections[Symbol.asyncDispose]();
			await service[Symbol.asyncDispose]();
		},
	};
}

/** A gateway's deliverer with that platform, and what it said of it. */
export async function openPlatform(
	speech: Speech,
	options: Written & {readonly memos?: Memos} = {},
) {
	const {clock, service, kinds, value} = await openWorld(speech, options);
	const config = {
		model: {},
		itemErrors: new Map(),
		secretValues: [],
		platforms: {[speech.kind]: value},
		profiles: {of: () => ({environment: {}})},
	} as unknown as Config;
	const told: PlatformView[] = [];
	let waiting = Promise.withResolvers<void>();
	const pauses = new Map<number, PromiseWithResolvers<void>>();
	const pause = (ms: number) => {
		const made = pauses.get(ms) ?? Promise.withResolvers<void>();
		pauses.set(ms, made);
		return made;
	};
	const deliverer = createDeliverer({
		clock: {
			...clock,
			after(ms, callback) {
				pause(ms).resolve();
				return clock.after(ms, callback);
			},
		},
		log: silentLogger,
		config: () => config,
		environment: () => ({}),
		memos: options.memos ?? memosInMemory(),
		kinds,
		onPlatformChanged(view) {
			told.push(view);
			waiting.resolve();
		},
	});
	return {
		clock,
		service,
		deliverer,
		deliver: async (text: string, overrides: Partial<OutgoingMessage> = {}, extra = speech.extra) =>
			deliverer.deliver(
				makeMessage(speech.kind, extra, {text, ...overrides}),
				new AbortController().signal,
			),
		/** Lets a pause of that length pass, once it is made. */
		async pass(ms: number) {
			await pause(ms).promise;
			pauses.delete(ms);
			clock.advance(ms);
		},
		/** The next state that the platform is in. */
		async next(): Promise<PlatformView | undefined> {
			while (told.length === 0) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				await waiting.promise;
				waiting = Promise.withResolvers();
			}

			return told.shift();
		},
		async [Symbol.asyncDispose]() {
			await deliverer[Symbol.asyncDispose]();
			await service[Symbol.asyncDispose]();
		},
	};
}

/** What a store keeps of deliveries, in memory. */
export function memosInMemory(): Memos {
	const all = new Map<string, JsonValue>();
	return {
		get: async (kind, name) => all.get(`${kind} ${name}`),
		list: async () => [],
		async put(kind, name, value) {
			all.set(`${kind} ${name}`, structuredClone(value));
		},
		async drop(kind, name) {
			all.delete(`${kind} ${name}`);
		},
	};
}
