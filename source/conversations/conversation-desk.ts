import {keepLast} from '../core/bounds.ts';
import type {Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {countOf} from '../core/names.ts';
import {conversationWords, type Conversation} from '../core/origin.ts';
import {asWord} from '../core/shell-words.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {InboundMessage, Press} from '../platforms/listener.ts';
import type {Conversations, ReceivedMessage} from '../store/conversation-rules.ts';
import {askedOf, conversationOf, type ListeningSettings} from './asked-message.ts';
import type {ChatApprovals} from './chat-approvals.ts';
import {
	judgeMessage,
	mayApprove,
	maxName,
	type ChatCommand,
	type JudgedMessage,
} from './judge-message.ts';
import type {ChatPlace, Say} from './say.ts';

/** Maximum number of turns that wait behind a conversation's current one. */
const maxWaiting = 20;

/** A stranger is logged once in this time, milliseconds; so many strangers are remembered. */
const strangerMs = 3_600_000;
const maxStrangers = 1000;

/** Receives people's messages and button presses. */
export function createConversationDesk({
	clock,
	log,
	store,
	settingsOf,
	profile,
	maxQueued,
	approvals,
	say,
	onQueued,
	stop,
	beganAt,
	asks,
}: {
	readonly clock: Pick<Clock, 'monotonic' | 'now'>;
	readonly log: Logger;
	readonly store: Pick<Conversations, 'open' | 'receive' | 'session'>;
	/** The current settings of a platform; `undefined` when its messages are not accepted. */
	readonly settingsOf: (platform: string) => ListeningSettings | undefined;
	/** The profile of the runs. */
	readonly profile: string;
	readonly maxQueued: () => number;
	readonly approvals: Pick<ChatApprovals, 'answer' | 'isCode'>;
	readonly say: Say;
	/** Called when a run is queued. */
	readonly onQueued: (runId: number) => void;
	/** Ends a run; `false` where it has ended. */
	readonly stop: (runId: number) => Promise<boolean>;
	/** When the run was begun, milliseconds since 1970. */
	readonly beganAt: (runId: number) => Promise<number | undefined>;
	/** Whether the run waits for an approval. */
	readonly asks: (runId: number) => boolean;
}) {
	const strangers = new Map<string, number>();

	const tellStranger = (platform: string, {user, name}: Pick<Press, 'user' | 'name'>) => {
		const key = `${platform} ${user}`;
		const now = clock.monotonic();
		const last = strangers.get(key);
		if (last !== undefined && now - last < strangerMs) {
			return;
		}

		keepLast(strangers, [key, now], maxStrangers);
		log.warn(
			`Somebody who may not talk wrote on ${platform}; "svc chats allow ${asWord(`${platform}:${escapeLine(user, 100)}`)}" lets them`,
			whoIs({user, name}),
		);
	};

	const refuseAnswer = (place: Conversation, by: Pick<Press, 'user' | 'name'>) => {
		log.warn(
			`A try to answer a request for approval in ${escapeLine(conversationWords(place), 200)} by somebody who may not: nothing was done`,
			whoIs(by),
		);
	};

	const judge = async (platform: string, message: InboundMessage, settings: ListeningSettings) => {
		const place = conversationOf(platform, message);
		const isOurThread = message.thread !== undefined && (await store.session(place)) !== undefined;
		return judgeMessage(message, {
			settings,
			isCode: code => approvals.isCode(place, code),
			isOurThread,
		});
	};

	const answer = async (
		place: Conversation,
		{user, name}: Pick<Press, 'user' | 'name'>,
		word: {readonly choice: 'approve' | 'deny'; readonly code: string},
	) => approvals.answer({place, user, ...(name !== undefined && {name}), ...word});

	const command = async (place: ChatPlace, which: ChatCommand): Promise<string> => {
		const open = await store.open(profile, place.conversation);
		const waiting = open.filter(({isQueued}) => isQueued).length;
		const underWay = open.find(({isQueued}) => !isQueued);
		switch (which) {
			case 'new':
				return 'A new conversation begins.';

			case 'stop': {
				const isStopped = underWay !== undefined && (await stop(underWay.run));
				return isStopped ? 'Stopped.' : 'Nothing is under way.';
			}

			case 'status': {
				if (underWay && asks(underWay.run)) {
					return `Run ${underWay.run} waits for a request for approval to be answered; ${waitingWords(waiting)}.`;
				}

				if (!underWay) {
					return `Nothing is under way; ${waitingWords(waiting)}.`;
				}

				const now = clock.now();
				const workMs = Math.max(0, now - ((await beganAt(underWay.run)) ?? now));
				return `Working on run ${underWay.run} for ${Math.round(workMs / 1000)} s; ${waitingWords(waiting)}.`;
			}
		}
	};

	/** Performs what a stored message asks for besides its turn; resolves with the reply. */
	const act = async (
		place: ChatPlace,
		{message, judged}: Heard,
		received: ReceivedMessage,
	): Promise<string | undefined> => {
		switch (received.kind) {
			case 'duplicate':
				return undefined;

			case 'queued':
				onQueued(received.runId);
				return undefined;

			case 'full':
				return received.isOfConversation
					? `${received.waiting} messages wait already: this one is not answered. Write again later, or /stop what is under way.`
					: 'Too much waits at the gateway: this message is not answered. Write again later.';

			case 'noted':
				return heed(place, message, judged);
		}
	};

	/** Performs what a message asks for that starts no turn. */
	const heed = async (
		{conversation, ...place}: ChatPlace,
		message: InboundMessage,
		judged: Heard['judged'],
	): Promise<string | undefined> => {
		switch (judged.kind) {
			case 'answer': {
				const {choice, code} = judged;
				return choice === 'unclear'
					? `Nothing was done: write approve ${code} alone, or deny ${code}.`
					: answer(conversation, message, {choice, code});
			}

			case 'command':
				return command({conversation, ...place}, judged.command);

			case 'refused':
			case 'turn':
			case 'not-for-us':
				return undefined;
		}
	};

	return {
		/** Stores messages and cursor, then performs what the messages ask for. @throws SvcError `journal_unavailable`: nothing was stored */
		async hear(platform: string, messages: readonly InboundMessage[], cursor?: JsonValue) {
			const settings = settingsOf(platform);
			if (!settings) {
				// Returning would acknowledge messages that are not on disk.
				throw new DeliveryError(
					'platform_disabled',
					`Cannot take messages: nobody is heard on ${platform} any more`,
				);
			}

			const heard: Heard[] = [];
			for (const message of messages) {
				// oxlint-disable-next-line no-await-in-loop -- the store usually answers from memory
				heard.push({message, judged: await judge(platform, message, settings)});
			}

			const received = await store.receive({
				profile,
				platform,
				messages: heard.map(one => askedOf(platform, one, settings)),
				...(cursor !== undefined && {cursor}),
				maxWaiting,
				maxQueued: maxQueued(),
			});
			for (const [index, one] of heard.entries()) {
				const {message, judged} = one;
				const place = {conversation: conversationOf(platform, message), answer: message.answer};
				if (judged.kind === 'refused' && judged.of === 'approval') {
					refuseAnswer(place.conversation, message);
				} else if (judged.kind === 'refused') {
					tellStranger(platform, message);
				}

				act(place, one, received[index] ?? {kind: 'noted'})
					.then(async told => told !== undefined && say(place, {text: told}))
					.catch((error: unknown) =>
						log.error(`Cannot do what was asked for on ${platform}: ${messageOf(error)}`),
					);
			}
		},
		/** A button of ours was pressed; resolves with the reply to the person. Never rejects. */
		async press(platform: string, press: Press): Promise<string> {
			const settings = settingsOf(platform);
			const place = conversationOf(platform, press);
			const [, verb = '', code = ''] = /^(approve|deny) ([A-Z0-9]{4,8})$/.exec(press.data) ?? [];
			if (!settings || verb === '' || !mayApprove(settings, press.user)) {
				refuseAnswer(place, press);
				return 'You may not answer this request.';
			}

			const choice = verb === 'approve' ? 'approve' : 'deny';
			return (
				(await answer(place, press, {choice, code})) ??
				(choice === 'approve' ? 'Allowed once.' : 'Denied.')
			);
		},
	};
}

const waitingWords = (count: number): string =>
	`${countOf(count, 'message')} ${count === 1 ? 'waits' : 'wait'}`;

type Heard = {readonly message: InboundMessage; readonly judged: JudgedMessage};

const whoIs = ({user, name}: {readonly user: string; readonly name?: string | undefined}) => ({
	user: escapeLine(user, 200),
	...(name !== undefined && {name: escapeLine(name, maxName)}),
});
