import {z} from 'zod';
import {conversingSettings} from '../../config/platform-settings.ts';
import {createChatApprovals, type ChatApprovals} from '../../conversations/chat-approvals.ts';
import {mayApprove, type People} from '../../conversations/judge-message.ts';
import type {ChatPlace, Fits, Say} from '../../conversations/say.ts';
import type {Approval} from '../../core/approval.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {originOf, originWords, type Conversation} from '../../core/origin.ts';
import type {Run} from '../../core/run.ts';
import type {TakenOver} from '../../store/shared-port.ts';
import {minuteTimeThere} from '../../terminal/text/time.ts';
import type {GatewayCluster} from '../cluster/open-cluster.ts';
import type {SharedApprovals} from '../cluster/share-approvals.ts';
import type {RoomWorld} from '../rooms.ts';

/** Reports to chats what happens to their turns, and asks them for approvals. */
export type ChatTelling = ReturnType<typeof tellChats>;

/**
 * Reacts to requests and runs until disposed of, which must be after the runs and requests have ended, so that chats are told of that too.
 *
 * @see manual/conversations.md#approvals
 */
export function tellChats(
	{broker, cluster, live, log: root, redact, store, taken}: RoomWorld,
	options: {
		readonly say: Say;
		readonly fits: Fits;
		/** Called only once there is something to answer. */
		readonly approvals: () => Pick<SharedApprovals, 'settle' | 'waiting'>;
	},
) {
	const {say, fits, approvals} = options;
	const log = root.from('conversations');
	const config = () => live.current();
	/** On some platforms (mail), a setting allows approvals. */
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

	/** Tells the chat that no answer will come; the reason is shown only at the terminal. */
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
			// The gateway that has the request or the run tells the chat.
			if (event.type === 'approval-requested' && event.approval.node === undefined) {
				chats.requested(event.approval);
			} else if (event.type === 'approval-settled') {
				chats.settled(event.approval);
			} else if (event.type === 'run-changed' && event.run.node === undefined) {
				tellOfFailure(event.run);
			}
		}
	});

	const tellOf = async ({denied, interrupted}: Pick<TakenOver, 'denied' | 'interrupted'>) => {
		for (const approval of denied) {
			chats.deniedBefore(approval);
		}

		for (const id of interrupted) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			const run = await store.runs.view(id).catch(() => {});
			if (run) {
				tellOfFailure(run);
			}
		}
	};

	cluster.onTaken(({denied}) => {
		// Interrupted runs are announced by their own events.
		void tellOf({denied, interrupted: []});
	});

	return {
		approvals: shareChatApprovals(chats, {
			cluster,
			isAskedAt: place =>
				approvals()
					.waiting()
					.some(
						approval =>
							approval.node !== undefined &&
							placesOf(approval).some(
								({conversation: {platform, chat}}) =>
									platform === place.platform && chat === place.chat,
							),
					),
			mayApproveThere: ({platform}, user) => {
				const settings: People | undefined = conversingSettings(config(), platform);
				return settings !== undefined && mayApprove(settings, user);
			},
		}),
		/** Reports to chats what the last process left: interrupted turns, and requests denied at its end. Never rejects. */
		tellOfBefore: async () => tellOf(taken),
		[Symbol.dispose]: stopHearing,
	};
}

/** Accepts answers to requests of other gateways too: only the gateway that asked in the chat knows its codes, and decides. */
function shareChatApprovals(
	chats: ChatApprovals,
	options: {
		readonly cluster: GatewayCluster;
		/** Whether another gateway may have asked in that chat. */
		readonly isAskedAt: (place: Conversation) => boolean;
		readonly mayApproveThere: (place: Conversation, user: string) => boolean;
	},
): ChatApprovals {
	const {cluster, isAskedAt, mayApproveThere} = options;
	cluster.serve('chat-answer', {
		has(input) {
			const answering = answeringSchema.safeParse(input);
			return answering.success && chats.isCode(answering.data.place, answering.data.code);
		},
		async perform(input) {
			const answering = answeringSchema.parse(input);
			const {place, user, code} = answering;
			return mayApproveThere(place, user)
				? ((await chats.answer(answering)) ?? null)
				: `Request ${code} is not yours to answer.`;
		},
	});
	return {
		...chats,
		isCode: (place, code) => chats.isCode(place, code) || isAskedAt(place),
		async answer(answering) {
			const {place, code} = answering;
			if (chats.isCode(place, code) || !isAskedAt(place)) {
				return chats.answer(answering);
			}

			const told = await cluster.call('chat-answer', {...answering}).catch(messageOf);
			return told === undefined
				? `No request ${code} waits in this chat.`
				: typeof told === 'string'
					? told
					: undefined;
		},
	};
}

const answeringSchema = z.object({
	place: z.object({platform: z.string(), chat: z.string(), thread: z.string().exactOptional()}),
	user: z.string(),
	name: z.string().exactOptional(),
	choice: z.enum(['approve', 'deny']),
	code: z.string(),
});

/** The chat and thread in which a turn is answered, and in which its requests for approval appear. */
const placeOfTurn = ({platform, chat, thread}: Conversation): ChatPlace => ({
	conversation: {platform, chat, ...(thread !== undefined && {thread})},
	answer: thread === undefined ? {} : {thread_id: thread},
});
