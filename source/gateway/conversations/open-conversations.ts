import {platformSettings} from '../../config/platform-settings.ts';
import {createChatApprovals} from '../../conversations/chat-approvals.ts';
import {
	createConversationDesk,
	type PlatformSettings,
} from '../../conversations/conversation-desk.ts';
import {keepListening} from '../../conversations/keep-listening.ts';
import type {ChatPlace, Fits, Say} from '../../conversations/say.ts';
import type {Approval} from '../../core/approval.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {createMutex} from '../../core/mutex.ts';
import {originOf, originWords, type Conversation} from '../../core/origin.ts';
import type {Run} from '../../core/run.ts';
import {cell} from '../../core/untrusted.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import {targetKinds} from '../../platforms/platforms.ts';
import {createPost} from '../../platforms/post.ts';
import {createOpenSocket} from '../../platforms/socket.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import {minuteTimeThere} from '../../terminal/text/time.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {RoomWorld} from '../rooms.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';
import type {Dispatcher} from '../runs/dispatch.ts';

/** Kinds that people can talk with us on. */
const kinds = targetKinds.filter(({listens}) => listens !== undefined);

/** Listens to the platforms on which people talk with the agent. */
export type Conversations = AsyncDisposable & {
	/** Takes over the configuration as it is now. */
	changed(): Promise<void>;
};

type Joined = {
	readonly deliverer: Pick<Deliverer, 'listens'>;
	readonly approvals: Pick<OpenedApprovals, 'settle' | 'waiting'>;
	readonly dispatcher: Pick<Dispatcher, 'abort'>;
	readonly announce: RunAnnouncer;
	readonly say: Say;
	readonly fits: Fits;
};

/**
 * Joins what is heard on platforms with the journal, the runs and the requests for approval. Nothing is heard before `changed()`.
 *
 * @see manual/conversations.md
 */
export function openConversations(
	world: RoomWorld,
	{deliverer, approvals, dispatcher, announce, say, fits}: Joined,
): Conversations {
	const {authorities, broker, clock, live, paths, random = Math.random, redact, store} = world;
	const log = world.log.from('conversations');
	const config = () => live.current();
	const clean = (text: string) => cell(redact(text), 400).text;
	const secureContext = () => authorities.context();
	const {post, ...connections} = createPost({clock, clean, secureContext});
	const openSocket = createOpenSocket({clock, clean, secureContext});
	const heard = new Map<string, {readonly settings: unknown; readonly end: AsyncDisposable}>();

	const settingsOf = (platform: string): PlatformSettings | undefined => {
		const settings = platformSettings(config(), platform);
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- platforms that are listened to have them
		const conversing = settings as (PlatformSettings & typeof settings) | undefined;
		if (!conversing?.enabled || !conversing.inbound) {
			return undefined;
		}

		return conversing.approvals === false ? {...conversing, approvers: []} : conversing;
	};

	const placesOf = (approval: Approval): readonly ChatPlace[] => {
		const origin = originOf(approval);
		switch (origin.kind) {
			case 'chat':
				return settingsOf(origin.platform)?.approvals === false
					? approvalChats()
					: [placeOfTurn(origin)];

			case 'delivery':
			case 'job':
				return approval.run === undefined ? [] : approvalChats();

			case 'key':
			case 'person':
				return [];
		}
	};

	const approvalChats = (): readonly ChatPlace[] =>
		config()
			.approvalChats.filter(({platform}) => settingsOf(platform)?.approvals !== false)
			.map(placeOfTurn);

	const chats = createChatApprovals({
		log,
		redact,
		say,
		fits,
		placesOf,
		whoseOf: approval =>
			approval.run === undefined ? '' : `run ${approval.run} of ${originWords(originOf(approval))}`,
		waiting: () => approvals.waiting(),
		settle: async (id, answer, by) => approvals.settle(id, answer, by),
		timeText: minuteTimeThere,
	});
	/** Who waits for an answer hears that none comes; why, the person at the terminal sees. */
	const tellOfFailure = (run: Run) => {
		const origin = originOf(run);
		if (origin.kind === 'chat' && (run.state === 'failed' || run.state === 'interrupted')) {
			const text =
				run.state === 'failed'
					? `Run ${run.id} failed: there is no answer to the last message.`
					: `Run ${run.id} was interrupted after it may have changed something: a person at the terminal decides whether it goes on.`;
			void say(placeOfTurn(origin), {text});
		}
	};

	const tellOfRuns = async (ids: readonly number[]) => {
		for (const id of ids) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			const run = await store.runs.view(id);
			if (run) {
				tellOfFailure(run);
			}
		}
	};

	const stopHearing = broker.subscribe((events: readonly GatewayEvent[]) => {
		for (const event of events) {
			if (event.type === 'approval-requested') {
				chats.requested(event.approval);
			} else if (event.type === 'approval-settled') {
				chats.settled(event.approval);
			} else if (event.type === 'run-changed') {
				tellOfFailure(event.run);
			}
		}
	});

	const desk = createConversationDesk({
		clock,
		log,
		store: store.conversations,
		settingsOf,
		profile: paths.profile,
		maxQueued: () => config().runs.maxQueued,
		approvals: chats,
		say,
		onQueued(runId) {
			void announce.queued(runId);
		},
		async stop(runId) {
			const isStopped = dispatcher.abort(runId) || (await store.runs.cancel(runId));
			await announce.changed(runId);
			return isStopped;
		},
		beganAt: async runId => (await store.runs.view(runId))?.startedAt,
	});

	const listenTo = async (kind: TargetKind, settings: PlatformSettings) => {
		const module = await kind.listens?.load();
		const listener = module?.createListener(settings, {
			clock,
			clean,
			post,
			log,
			random,
			openSocket,
			secureContext,
			hide(secret) {
				live.hide(secret);
			},
		});
		return (
			listener &&
			keepListening(listener, {
				clock,
				random,
				cursor: async () => store.conversations.cursor(kind.kind),
				onState(state) {
					deliverer.listens(kind.kind, state);
				},
				hearing: {
					onMessages: async (messages, cursor) => desk.hear(kind.kind, messages, cursor),
					onPress: async press => desk.press(kind.kind, press),
					say(chat, text) {
						void say({conversation: {platform: kind.kind, chat}, answer: {}}, {text});
					},
					isAllowed: user => settingsOf(kind.kind)?.allowFrom.includes(user) ?? false,
				},
			})
		);
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
		const end = settings && lacks === undefined ? await listenTo(kind, settings) : undefined;
		if (end) {
			heard.set(kind.kind, {settings, end});
		}
	};

	/** One change after the other: a platform has one listener. */
	const inTurn = createMutex();
	let isOver = false;
	let isFirst = true;
	return {
		changed: async () =>
			inTurn(async () => {
				for (const kind of isOver ? [] : kinds) {
					try {
						// oxlint-disable-next-line no-await-in-loop -- ending a listener takes a second at most
						await follow(kind);
					} catch (error) {
						log.error(`Cannot listen to ${kind.kind}: ${messageOf(error)}`);
					}
				}

				if (isFirst) {
					isFirst = false;
					await tellOfRuns(world.taken.interrupted).catch(() => {});
				}
			}),
		async [Symbol.asyncDispose]() {
			stopHearing();
			isOver = true;
			await inTurn(async () => {});
			await Promise.all([...heard.values()].map(async ({end}) => end[Symbol.asyncDispose]()));
			await connections[Symbol.asyncDispose]();
		},
	};
}

/** Where a turn is answered: a request for approval stands there, too. */
const placeOfTurn = ({platform, chat, thread}: Conversation): ChatPlace => ({
	conversation: {platform, chat, ...(thread !== undefined && {thread})},
	answer: thread === undefined ? {} : {thread_id: thread},
});
