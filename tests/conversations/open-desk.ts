import type {ListeningSettings} from '../../source/conversations/asked-message.ts';
import {createChatApprovals} from '../../source/conversations/chat-approvals.ts';
import {createConversationDesk} from '../../source/conversations/conversation-desk.ts';
import type {ChatPlace, OwnText} from '../../source/conversations/say.ts';
import type {Approval} from '../../source/core/approval.ts';
import {createLogger} from '../../source/core/log.ts';
import {originOf} from '../../source/core/origin.ts';
import type {InboundMessage} from '../../source/platforms/listener.ts';
import type {Store} from '../../source/store/port.ts';
import {createTestQueue, makeAskingRun, makeCall, settleTurn} from '../approvals/queue-fixture.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createSqliteHome} from '../store/sqlite-home.ts';

/** A chat that has no room for arguments. */
export const narrowChat = '-77';

let counter = 0;

/** A direct message of somebody who may talk, with an identifier of its own. */
export const writtenBy = (text: string, rest: Partial<InboundMessage> = {}): InboundMessage => {
	counter += 1;
	return {
		id: `12/${counter}`,
		chat: '12',
		user: '99',
		name: 'Ann',
		text,
		isDirect: true,
		isForUs: true,
		answer: {},
		...rest,
	};
};

/** The desk of one platform over a store on disk and a queue of approvals, with what it said and did. */
export async function openDesk(options: Partial<ListeningSettings> = {}, kind = 'telegram') {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await createSqliteHome());
	const queue = createTestQueue();
	const store: Store = stack.use(await home.open(createFakeClock(queue.clock.now())));
	const settings: ListeningSettings = {
		inbound: true,
		allowFrom: ['99'],
		groupMention: true,
		skills: [],
		...options,
	};
	const log: string[] = [];
	const said: Array<ChatPlace & OwnText> = [];
	const queued: number[] = [];
	const stopped: number[] = [];
	const chats: ChatPlace[] = [];
	const logger = createLogger({
		clock: queue.clock,
		redact: text => text,
		write({level, message, fields}) {
			log.push([level, message, ...Object.values(fields)].join(' '));
		},
	});
	const approvals = createChatApprovals({
		log: logger,
		redact: text => text,
		async say(place, text) {
			said.push({...place, ...text});
			return undefined;
		},
		fits: async ({conversation: {chat}}) => chat !== narrowChat,
		placesOf(approval: Approval) {
			const origin = originOf(approval);
			return origin.kind === 'chat'
				? [{conversation: {platform: origin.platform, chat: origin.chat}, answer: {}}]
				: chats;
		},
		whoseOf: () => 'gh-review',
		waiting: () => queue.approvals.waiting(),
		settle: async (id, answer, by) => queue.approvals.settle(id, answer, by),
		timeText: () => '14:05 UTC',
	});
	const desk = createConversationDesk({
		clock: queue.clock,
		log: logger,
		store: store.conversations,
		settingsOf: platform => (platform === kind ? settings : undefined),
		profile: 'default',
		maxQueued: () => 1000,
		approvals,
		async say(place, text) {
			said.push({...place, ...text});
			return undefined;
		},
		onQueued: run => queued.push(run),
		async stop(run) {
			stopped.push(run);
			return store.runs.cancel(run);
		},
		asks: runId => queue.approvals.waiting().some(({run}) => run === runId),
		beganAt: async () => queue.clock.now() - 5000,
	});
	return {
		desk,
		store,
		queue,
		approvals,
		chats,
		log,
		said,
		queued,
		stopped,
		hear: async (...messages: readonly InboundMessage[]) => desk.hear(kind, messages),
		/** Tells the chats what the queue has told. */
		pass(from = 0) {
			for (const event of queue.events.slice(from)) {
				if (event.type === 'approval-requested') {
					approvals.requested(event.approval);
				} else if (event.type === 'approval-settled') {
					approvals.settled(event.approval);
				}
			}

			return queue.events.length;
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

const chatRun = makeAskingRun({
	origin: {kind: 'chat', platform: 'telegram', chat: '12', user: '99'},
});

/** A call that waits, of a turn of chat 12 unless `overrides` name another run; the code that it was asked with. */
export async function ask(
	open: Awaited<ReturnType<typeof openDesk>>,
	overrides: Parameters<typeof makeCall>[0] = {},
) {
	const before = open.queue.events.length;
	const call = makeCall({run: chatRun, ...overrides});
	open.queue.memory.allowBefore(call.tool);
	const verdict = open.queue.approvals.request(call);
	await settleTurn();
	open.pass(before);
	await settleTurn();
	const asked = open.said.findLast(({text}) => text.startsWith('Approval '));
	return {verdict, asked, code: /^Approval (\w{4,8}): /.exec(asked?.text ?? '')?.[1] ?? ''};
}
