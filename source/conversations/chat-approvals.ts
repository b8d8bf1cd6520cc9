import {randomInt} from 'node:crypto';
import type {AnswerOutcome, Approval, ApprovalAnswer} from '../core/approval.ts';
import {keepLast} from '../core/bounds.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {jsonHash} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import type {Conversation} from '../core/origin.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';
import {outcomeSentences} from '../nouns/approval/approval-words.ts';
import {outcomeText} from '../nouns/approval/approval.ts';
import {approvalMessage, askedWords, inMarkdown, mintCode} from './approval-message.ts';
import {shownName} from './judge-message.ts';
import type {ChatPlace, Fits, Say} from './say.ts';

/** A request that was sent to chats. */
type AskedRequest = {
	readonly id: number;
	/** Hash of the call with its arguments, as shown. */
	readonly digest: string;
	readonly places: readonly ChatPlace[];
	/** The places where it was shown completely, so that it can be allowed there. */
	readonly allowable: Set<ChatPlace>;
};

/** A person's answer, and where it was given. */
type Answering = {
	readonly place: Conversation;
	readonly user: string;
	readonly name?: string;
	readonly choice: 'approve' | 'deny';
	readonly code: string;
};

export type ChatApprovals = ReturnType<typeof createChatApprovals>;

/** Maximum number of settled requests whose codes are remembered. */
const maxSettled = 200;

const maxUser = 200;
const maxBy = 300;

/** Sends requests for approval to chats, and takes answers from there. */
export function createChatApprovals({
	log,
	redact,
	say,
	fits,
	placesOf,
	whoseOf,
	waiting,
	settle,
	timeText,
}: {
	readonly log: Logger;
	readonly redact: Redact;
	readonly say: Say;
	readonly fits: Fits;
	/** The chats that a request is sent to. */
	readonly placesOf: (approval: Approval) => readonly ChatPlace[];
	/** A description of the run that asks; empty if there is none. */
	readonly whoseOf: (approval: Approval) => string;
	readonly waiting: () => readonly Approval[];
	/** @throws SvcError `approval_invalid`, `journal_unavailable` */
	readonly settle: (id: number, answer: ApprovalAnswer, by: string) => Promise<AnswerOutcome>;
	/** Formats a time: `14:05 +01:00`. */
	readonly timeText: (at: number) => string;
}) {
	const asked = new Map<string, AskedRequest>();
	const settled = new Map<string, {readonly text: string; readonly places: readonly ChatPlace[]}>();

	const ask = async (approval: Approval, code: string, place: ChatPlace) => {
		const about = {code, whose: whoseOf(approval), until: timeText(approval.deadline), redact};
		const whole = approvalMessage(approval, about);
		const hasRoom = await fits(place, whole.text);
		const {text, canAllow} = hasRoom ? whole : approvalMessage(approval, {...about, hasRoom});
		const allowable = asked.get(code)?.allowable;
		if (canAllow) {
			// Set before sending: a button may be pressed before the platform confirms the message.
			allowable?.add(place);
		}

		const failure = await say(place, {
			text,
			keeps: nameOfMessage(approval.id),
			buttons: [
				...(canAllow ? [{label: 'Approve', data: `approve ${code}`}] : []),
				{label: 'Deny', data: `deny ${code}`},
			],
		});
		if (failure !== undefined) {
			allowable?.delete(place);
			log.warn(`A request for approval could not be asked in a chat: ${failure}`, {
				approval: approval.id,
				platform: place.conversation.platform,
			});
		}
	};

	const tell = async (approval: Approval, code: string | undefined, place: ChatPlace) =>
		say(place, {
			text: inMarkdown(settledText(approval, {code, timeText})),
			keeps: nameOfMessage(approval.id),
		});

	return {
		/** A request waits: sends it to the chat whose turn asks, or to the chats configured for runs of others. */
		requested(approval: Approval) {
			const places = placesOf(approval);
			if (places.length === 0) {
				return;
			}

			const code = mintCode(new Set([...asked.keys(), ...settled.keys()]), randomInt);
			const digest = digestOf(approval);
			asked.set(code, {id: approval.id, digest, places, allowable: new Set()});
			for (const place of places) {
				void ask(approval, code, place);
			}
		},
		/** A request was settled, here or elsewhere: updates its messages. */
		settled(approval: Approval) {
			const [code, request] = [...asked].find(([, {id}]) => id === approval.id) ?? [];
			if (code === undefined || !request) {
				return;
			}

			const {places} = request;
			asked.delete(code);
			keepLast(
				settled,
				[code, {text: settledText(approval, {code, timeText}), places}],
				maxSettled,
			);
			for (const place of places) {
				void tell(approval, code, place);
			}
		},
		/** A request was denied at the end of an earlier process: updates its messages. */
		deniedBefore(approval: Approval) {
			for (const place of placesOf(approval)) {
				void tell(approval, undefined, place);
			}
		},
		/** Whether a request with that code was sent to the chat, and waits or was settled lately. */
		isCode: (place: Conversation, code: string): boolean =>
			placeIn((asked.get(code) ?? settled.get(code))?.places ?? [], place) !== undefined,
		/** Answers a request for a person who is allowed to. Resolves with the reply to them; `undefined` when the request's own message is updated instead. Never rejects. */
		async answer({place, user, name, choice, code}: Answering): Promise<string | undefined> {
			const request = asked.get(code);
			const askedAt = request && placeIn(request.places, place);
			if (!request || !askedAt) {
				const {text, places = []} = settled.get(code) ?? {};
				return placeIn(places, place) ? text : `No request ${code} waits in this chat.`;
			}

			const approval = waiting().find(({id}) => id === request.id);
			if (!approval || digestOf(approval) !== request.digest) {
				return `Request ${code} does not wait any more.`;
			}

			if (choice === 'approve' && !request.allowable.has(askedAt)) {
				return `Request ${code} can only be denied here; allow it at the terminal.`;
			}

			const who = [...(name === undefined ? [] : [shownName(name)]), escapeLine(user, maxUser)];
			const by = `${place.platform} (${who.join(', ')})`;
			try {
				const {settled: isSettled} = await settle(
					request.id,
					choice === 'approve' ? {choice: 'allow', scope: 'once'} : {choice: 'deny'},
					by,
				);
				return isSettled ? undefined : `Request ${code} was answered by somebody else.`;
			} catch (error) {
				log.warn(`An answer from a chat could not be taken: ${messageOf(error)}`, {
					approval: request.id,
				});
				return error instanceof SvcError && error.code === 'approval_invalid'
					? `Request ${code} does not take that answer; answer it at the terminal.`
					: `The answer to ${code} could not be written down; try again, or answer at the terminal.`;
			}
		},
	};
}

/** The entry of `places` for the same chat, in any thread. */
const placeIn = (places: readonly ChatPlace[], {platform, chat}: Conversation) =>
	places.find(({conversation}) => conversation.platform === platform && conversation.chat === chat);

/** The key by which later texts replace the message. */
const nameOfMessage = (id: number): string => `approval ${id}`;

const digestOf = (approval: Approval): string =>
	jsonHash(
		approval.kind === 'tool'
			? {
					server: approval.tool.server ?? null,
					tool: approval.tool.tool,
					definition: approval.tool.definition,
					args: approval.args,
				}
			: {server: approval.server, message: approval.message},
	);

/** `Approval K7QF: crm/create_issue, allowed by telegram (Ann, 99), 14:05 +01:00`. */
function settledText(
	approval: Approval,
	{code, timeText}: {readonly code: string | undefined; readonly timeText: (at: number) => string},
): string {
	const {decision} = approval;
	const what = `Approval${code === undefined ? '' : ` ${code}`}: ${askedWords(approval)}`;
	if (!decision) {
		return what;
	}

	const {outcome, by, at} = decision;
	const how =
		outcome === 'allowed' || outcome === 'denied'
			? `${outcomeText(decision)} by ${escapeLine(by, maxBy)}`
			: outcomeSentences[outcome];
	return `${what}, ${how}, ${timeText(at)}`;
}
