import type {Conversation} from '../core/origin.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ConversingSettings} from '../platforms/conversing.ts';
import type {InboundMessage} from '../platforms/listener.ts';
import {targetNamed} from '../platforms/platforms.ts';
import type {AskedMessage} from '../store/conversation-rules.ts';
import {turnKey} from './growing-answer.ts';
import type {JudgedMessage, People} from './judge-message.ts';

/** Characters of what somebody calls themselves. */
export const maxName = 80;
const maxSubject = 80;

/** Where what people write on one platform arrives. */
export type PlatformSettings = ConversingSettings & People;

/** Where a message was written. */
export const conversationOf = (
	platform: string,
	{chat, thread}: Pick<InboundMessage, 'chat' | 'thread'>,
): Conversation => ({platform, chat, ...(thread !== undefined && {thread})});

/** What is stored of a message, and the plan of its turn. */
export function askedOf(
	platform: string,
	{message, judged}: {readonly message: InboundMessage; readonly judged: JudgedMessage},
	{toolsets, model, skills}: PlatformSettings,
): AskedMessage {
	const {id, user, name, chat, answer} = message;
	const about = {
		id,
		conversation: conversationOf(platform, message),
		user,
		...(name !== undefined && {name: escapeLine(name, maxName)}),
	};
	const hasEdits = targetNamed(platform)?.edits !== undefined;
	switch (judged.kind) {
		case 'turn':
			return {
				...about,
				asks: {
					kind: 'turn',
					plan: {
						prompt: judged.prompt,
						subject: escapeLine(message.text.replaceAll(/\s+/g, ' ').trim(), maxSubject),
						target: {
							kind: platform,
							extra: {chat_id: chat, ...answer, ...(hasEdits && {sticky: true})},
						},
						// The whole answer takes the place of what was shown of it.
						...(hasEdits && {key: turnKey(id)}),
						skills: [...skills],
						...(toolsets && {toolsets: [...toolsets]}),
						...(model !== undefined && {model}),
					},
				},
			};

		case 'command':
			return {...about, asks: {kind: judged.command === 'new' ? 'session' : 'word'}};

		case 'answer':
			return {...about, asks: {kind: 'word'}};

		// Strangers must not make identifiers known, which on some platforms they choose.
		case 'refused':
		case 'not-for-us':
			return {...about, asks: {kind: 'nothing'}};
	}
}
