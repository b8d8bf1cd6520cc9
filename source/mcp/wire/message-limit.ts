import {SvcError} from '../../core/errors.ts';

/** The largest message of a server: a line of a stdio server, a JSON body, an event of a stream. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** A server's message was above the limit; nothing of it was kept. */
export const tooLarge = (): SvcError =>
	new SvcError('mcp_message_too_large', 'The server sent a message of more than 10 MB');
