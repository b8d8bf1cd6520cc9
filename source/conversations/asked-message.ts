import type {Conversation} from '../core/origin.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {ConversingSettings} from '../platforms/conversing.ts';
import type {InboundMessage} from '../platforms/listener.ts';
import {targetNamed} from '../platforms/platforms.ts';
import type {AskedMessage} from '../store/conversation-rules.ts';
import {turnKey} from './growing-answer.ts';
import {type JudgedMessage, maxName, type People} from './judge-message.ts';

const maxSubject = 80;

/** The settings of a platform that people can talk on. */
export type ListeningSettings = ConversingSettings & People;

/** Where a message was written. */
export const conversationOf = (
	platform: string,
	{chat, thread}: Pick<InboundMessage, 'chat' | 'thread'>,
): Conversation => ({platform, chat, ...(thread !== undefined && {thread})});

/** A message as it is stored, with the plan of its turn. */
export function askedOf(
	platform: string,
	{message, judged}: {readonly message: InboundMessage; readonly judged: JudgedMessage},
	{toolsets, model, skills}: ListeningSettings,
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
						// By this key, the complete answer replaces its shown part.
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

		// Identifiers of strangers' messages are not stored: on some platforms people choose them.
		case 'refused':
		case 'not-for-us':
			return {...about, asks: {kind: 'nothing'}};
	}
}
