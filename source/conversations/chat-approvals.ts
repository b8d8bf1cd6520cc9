import {randomInt} from 'node:crypto';
import type {AnswerOutcome, Approval, ApprovalAnswer} from '../core/approval.ts';
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

/** A request that was asked in chats. */
type AskedRequest = {
	readonly id: number;
	/** Of the call, with its arguments, as it was shown. */
	readonly digest: string;
	readonly places: readonly ChatPlace[];
	/** Those of them where it was shown whole, and can be allowed. */
	readonly allowable: Set<ChatPlace>;
};

/** Who answers, and where. */
export type Answering = {
	readonly place: Conversation;
	readonly user: string;
	readonly name?: string;
	readonly choice: 'approve' | 'deny';
	readonly code: string;
};

/** Requests for approval in chats. */
export type ChatApprovals = {
	/** A request waits: it is asked in the chat whose turn it is, or in those that are for the runs of others. */
	requested(approval: Approval): void;
	/** It was settled, here or elsewhere: its messages say so. */
	settled(approval: Approval): void;
	/** A request of before this process was denied when that ended: where it was asked, its message says so. */
	deniedBefore(approval: Approval): void;
	/** Whether a request with that code was asked in the chat, and waits or was settled lately. */
	isCode(place: Conversation, code: string): boolean;
	/** Answers for somebody who may. Resolves with what they are told; `undefined`: the message of the request says it. Never rejects. */
	answer(answering: Answering): Promise<string | undefined>;
};

/** Settled requests whose codes are still told apart from those that were never there. */
const maxSettled = 200;

const maxUser = 200;
const maxBy = 300;

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
	/** Whether a text is one message there, with nothing left out. */
	readonly fits: Fits;
	/** Where a request is asked. */
	readonly placesOf: (approval: Approval) => readonly ChatPlace[];
	/** Whose run asks, in words; empty: none. */
	readonly whoseOf: (approval: Approval) => string;
	readonly waiting: () => readonly Approval[];
	/** @throws SvcError `approval_invalid`, `journal_unavailable` */
	readonly settle: (id: number, answer: ApprovalAnswer, by: string) => Promise<AnswerOutcome>;
	/** `14:05 +01:00` */
	readonly timeText: (at: number) => string;
}): ChatApprovals {
	const asked = new Map<string, AskedRequest>();
	const settled = new Map<string, {readonly text: string; readonly places: readonly ChatPlace[]}>();

	const ask = async (approval: Approval, code: string, place: ChatPlace) => {
		const about = {
			code,
			whose: whoseOf(approval),
			until: timeText(approval.deadline),
			redact,
		};
		const whole = approvalMessage(approval, about);
		const hasRoom = await fits(place, whole.text);
		const {text, canAllow} = hasRoom ? whole : approvalMessage(approval, {...about, hasRoom});
		const allowable = asked.get(code)?.allowable;
		if (canAllow) {
			// A press may be here before the platform has said that the message is.
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

	const tell = async (
		{approval, code}: {readonly approval: Approval; readonly code: string | undefined},
		place: ChatPlace,
	) => {
		await say(place, {
			text: inMarkdown(settledText(approval, {code, timeText})),
			keeps: nameOfMessage(approval.id),
		});
	};

	return {
		requested(approval) {
			const places = placesOf(approval);
			if (places.length === 0) {
				return;
			}

			const code = mintCode(new Set([...asked.keys(), ...settled.keys()]), randomInt);
			asked.set(code, {
				id: approval.id,
				digest: digestOf(approval),
				places,
				allowable: new Set(),
			});
			for (const place of places) {
				void ask(approval, code, place);
			}
		},
		settled(approval) {
			const [code, request] = [...asked].find(([, {id}]) => id === approval.id) ?? [];
			if (code === undefined || !request) {
				return;
			}

			asked.delete(code);
			settled.set(code, {text: settledText(approval, {code, timeText}), places: request.places});
			forget(settled);
			for (const place of request.places) {
				void tell({approval, code}, place);
			}
		},
		deniedBefore(approval) {
			for (const place of placesOf(approval)) {
				void tell({approval, code: undefined}, place);
			}
		},
		isCode: (place, code) =>
			placeIn((asked.get(code) ?? settled.get(code))?.places ?? [], place) !== undefined,
		async answer({place, user, name, choice, code}) {
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

/** Where of `places` a chat is, whatever the thread. */
const placeIn = (places: readonly ChatPlace[], {platform, chat}: Conversation) =>
	places.find(({conversation}) => conversation.platform === platform && conversation.chat === chat);

/** What the message of a request is kept up to date by. */
const nameOfMessage = (id: number): string => `approval ${id}`;

function forget(map: Map<unknown, unknown>): void {
	for (const key of map.keys()) {
		if (map.size <= maxSettled) {
			break;
		}

		map.delete(key);
	}
}

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
