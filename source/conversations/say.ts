import type {JsonObject} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';

/** A place in a chat for the gateway's own texts. */
export type ChatPlace = {
	readonly conversation: Conversation;
	/** Keys of `deliver_extra` besides `chat_id`. */
	readonly answer: JsonObject;
};

/** A text of the gateway. */
export type OwnText = Pick<OutgoingMessage, 'buttons'> & {
	readonly text: string;
	/** A later text of the same name replaces this message where the platform allows edits; otherwise it is sent as a new message. */
	readonly keeps?: string;
};

/** Whether a text would be a single message there, with nothing cut, hidden or left out. Never rejects. */
export type Fits = (place: ChatPlace, text: string) => Promise<boolean>;

/** Sends a text of the gateway, not of a model; resolves with why it could not be sent, `undefined` on success. Never rejects. */
export type Say = (place: ChatPlace, text: OwnText) => Promise<string | undefined>;
