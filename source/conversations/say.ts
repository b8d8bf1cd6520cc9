import type {JsonObject} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';

/** A place that texts of ours go to. */
export type ChatPlace = {
	readonly conversation: Conversation;
	/** Keys of `deliver_extra` besides `chat_id`. */
	readonly answer: JsonObject;
};

/** A text of ours. */
export type OwnText = Pick<OutgoingMessage, 'buttons'> & {
	readonly text: string;
	/** A later text of the same name takes its place, where the platform lets messages be changed; else it follows. */
	readonly keeps?: string;
};

/** Whether a text would be one message there, with nothing cut, hidden or left out. Never rejects. */
export type Fits = (place: ChatPlace, text: string) => Promise<boolean>;

/** Sends a text of ours, which no model wrote; resolves with why it could not be sent. Never rejects. */
export type Say = (place: ChatPlace, text: OwnText) => Promise<string | undefined>;
