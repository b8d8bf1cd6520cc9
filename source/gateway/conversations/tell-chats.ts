import {conversingSettings} from '../../config/platform-settings.ts';
import {createChatApprovals, type ChatApprovals} from '../../conversations/chat-approvals.ts';
import type {ChatPlace, Fits, Say} from '../../conversations/say.ts';
import type {Approval} from '../../core/approval.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {originOf, originWords, type Conversation} from '../../core/origin.ts';
import type {Run} from '../../core/run.ts';
import {minuteTimeThere} from '../../terminal/text/time.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {RoomWorld} from '../rooms.ts';

/** Tells chats what becomes of their turns, and asks them for approvals. */
export type ChatTelling = Disposable & {
	readonly approvals: ChatApprovals;
	/** Tells of what the last process left: turns that it broke off, and requests that were denied with its end. Never rejects. */
	tellOfBefore(): Promise<void>;
};

/**
 * Hears of requests and runs until it is disposed of: after the runs and the requests have ended, so that chats are told of that, too.
 *
 * @see manual/conversations.md#approvals
 */
export function tellChats(
	{broker, live, log: root, redact, store, taken}: RoomWorld,
	{
		say,
		fits,
		approvals,
	}: {
		readonly say: Say;
		readonly fits: Fits;
		/** Asked once there is something to answer. */
		readonly approvals: () => Pick<OpenedApprovals, 'settle' | 'waiting'>;
	},
): ChatTelling {
	const log = root.from('conversations');
	const config = () => live.current();
	/** By mail nobody approves unless the settings say so. */
	const mayAnswer = (platform: string) => {
		const settings = conversingSettings(config(), platform);
		return !(settings && 'approvals' in settings && settings.approvals === false);
	};

	const approvalChats = (): readonly ChatPlace[] =>
		config()
			.approvalChats.filter(({platform}) => mayAnswer(platform))
			.map(placeOfTurn);

	const placesOf = (approval: Approval): readonly ChatPlace[] => {
		const origin = originOf(approval);
		switch (origin.kind) {
			case 'chat':
				return mayAnswer(origin.platform) ? [placeOfTurn(origin)] : approvalChats();

			case 'delivery':
			case 'job':
				return approval.run === undefined ? [] : approvalChats();

			case 'key':
			case 'person':
				return [];
		}
	};

	const chats = createChatApprovals({
		log,
		redact,
		say,
		fits,
		placesOf,
		whoseOf: approval =>
			approval.run === undefined ? '' : `run ${approval.run} of ${originWords(originOf(approval))}`,
		waiting: () => approvals().waiting(),
		settle: async (id, answer, by) => approvals().settle(id, answer, by),
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

	return {
		approvals: chats,
		async tellOfBefore() {
			for (const approval of taken.denied) {
				chats.deniedBefore(approval);
			}

			for (const id of taken.interrupted) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				const run = await store.runs.view(id).catch(() => {});
				if (run) {
					tellOfFailure(run);
				}
			}
		},
		[Symbol.dispose]: stopHearing,
	};
}

/** Where a turn is answered: a request for approval stands there, too. */
const placeOfTurn = ({platform, chat, thread}: Conversation): ChatPlace => ({
	conversation: {platform, chat, ...(thread !== undefined && {thread})},
	answer: thread === undefined ? {} : {thread_id: thread},
});
