import {conversingSettings, isHeard} from '../../config/platform-settings.ts';
import type {ListeningSettings} from '../../conversations/asked-message.ts';
import {createConversationDesk} from '../../conversations/conversation-desk.ts';
import {keepListening} from '../../conversations/keep-listening.ts';
import type {Say} from '../../conversations/say.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {DeliveryError} from '../../platforms/delivery-error.ts';
import {targetKinds} from '../../platforms/platforms.ts';
import {createPost} from '../../platforms/post.ts';
import {createOpenSocket} from '../../platforms/socket.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import type {Rooms, RoomWorld} from '../rooms.ts';
import type {ChatTelling} from './tell-chats.ts';

/** Platforms on which people can talk with the agent. */
const kinds = targetKinds.filter(({listens}) => listens !== undefined);

const nothing: AsyncDisposable = {async [Symbol.asyncDispose]() {}};

type Joined = Pick<Rooms, 'announce' | 'approvals' | 'deliverer' | 'dispatcher'> & {
	readonly say: Say;
	readonly telling: Pick<ChatTelling, 'approvals' | 'tellOfBefore'>;
};

/**
 * Connects messages from platforms with the journal, the runs and the requests for approval. Listens to nothing before `changed()`.
 *
 * @see manual/conversations.md
 */
export function openConversations(
	world: RoomWorld,
	{deliverer, approvals, dispatcher, announce, say, telling}: Joined,
) {
	const {authorities, clock, cluster, live, paths, random = Math.random, redact, store} = world;
	const log = world.log.from('conversations');
	const config = () => live.current();
	const clean = (text: string) => escapeLine(redact(text), 400);
	const secureContext = () => authorities.context();
	const listening = {clock, clean, log, random, secureContext};
	const {post, ...connections} = createPost(listening);
	const openSocket = createOpenSocket(listening);
	const heard = new Map<string, {readonly settings: unknown; readonly end: AsyncDisposable}>();

	const settingsOf = (platform: string): ListeningSettings | undefined => {
		const conversing: ListeningSettings | undefined = conversingSettings(config(), platform);
		return isHeard(config(), platform) ? conversing : undefined;
	};

	const desk = createConversationDesk({
		clock,
		log,
		store: store.conversations,
		settingsOf,
		profile: paths.profile,
		maxQueued: () => config().runs.maxQueued,
		approvals: telling.approvals,
		say,
		onQueued(runId) {
			void announce.queued(runId);
		},
		async stop(runId) {
			const isStopped = dispatcher.abort(runId) || (await store.runs.cancel(runId));
			await announce.changed(runId);
			return isStopped;
		},
		asks: runId => approvals.waiting().some(({run}) => run === runId),
		beganAt: async runId => (await store.runs.view(runId))?.startedAt,
	});

	const listenTo = async (
		kind: TargetKind,
		{settings, isHeld}: {readonly settings: ListeningSettings; readonly isHeld: () => boolean},
	) => {
		const module = await kind.listens?.load();
		const listener = module?.createListener(settings, {
			...listening,
			post,
			openSocket,
			hide: secret => live.hide(secret),
		});
		return (
			listener &&
			keepListening(listener, {
				...listening,
				cursor: async () => store.conversations.cursor(kind.kind),
				onState: state => deliverer.listens(kind.kind, state),
				hearing: {
					async onMessages(messages, cursor) {
						if (!isHeld()) {
							// Acknowledged messages must be on disk; the gateway that has the lease now receives this one as well.
							throw new DeliveryError(
								'platform_disabled',
								`Cannot take messages: another gateway may listen to ${kind.kind} by now`,
							);
						}

						await desk.hear(kind.kind, messages, cursor);
					},
					onPress: async press => desk.press(kind.kind, press),
					say(chat, text) {
						void say({conversation: {platform: kind.kind, chat}, answer: {}}, {text});
					},
					isAllowed: user => settingsOf(kind.kind)?.allowFrom.includes(user) ?? false,
				},
			})
		);
	};

	/** Reports platforms as connecting until their listener runs: getting the lease from the store takes time. */
	const expect = () => {
		for (const kind of kinds) {
			const settings = settingsOf(kind.kind);
			if (settings && heard.get(kind.kind)?.settings !== settings) {
				deliverer.listens(kind.kind, {state: 'connecting'});
			}
		}
	};

	const follow = async (kind: TargetKind) => {
		const settings = settingsOf(kind.kind);
		const before = heard.get(kind.kind);
		if (before?.settings === settings) {
			return;
		}

		heard.delete(kind.kind);
		await before?.end[Symbol.asyncDispose]();
		const lacks = settings && kind.listens?.lacks?.(settings);
		deliverer.listens(
			kind.kind,
			settings &&
				(lacks === undefined
					? {state: 'connecting'}
					: {state: 'failed', reason: `lacks ${lacks}, to listen`}),
		);
		if (settings && lacks === undefined) {
			const end = await cluster.holdAlone(`listen:${kind.kind}`, {
				start: async isHeld => (await listenTo(kind, {settings, isHeld})) ?? nothing,
				// The gateway that has the lease receives the messages of this platform.
				onOther: () => deliverer.listens(kind.kind, undefined),
			});
			heard.set(kind.kind, {settings, end});
		}
	};

	/** Serialises changes: a platform has one listener. */
	const inTurn = createMutex();
	let isOver = false;
	let isFirst = true;
	return {
		/** Applies the current configuration. */
		changed: async () =>
			inTurn(async () => {
				expect();
				for (const kind of isOver ? [] : kinds) {
					try {
						// oxlint-disable-next-line no-await-in-loop -- ending a listener takes at most a second
						await follow(kind);
					} catch (error) {
						log.error(`Cannot listen to ${kind.kind}: ${messageOf(error)}`);
					}
				}

				if (isFirst) {
					isFirst = false;
					await telling.tellOfBefore();
				}
			}),
		async [Symbol.asyncDispose]() {
			isOver = true;
			await inTurn(async () => {});
			await Promise.all([...heard.values()].map(async ({end}) => end[Symbol.asyncDispose]()));
			await connections[Symbol.asyncDispose]();
		},
	};
}
