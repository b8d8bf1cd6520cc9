import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import PostalMime, {type Email} from 'postal-mime';
import {SMTPServer} from 'smtp-server';

export type Received = {
	/** The envelope. */
	readonly from: string;
	readonly to: readonly string[];
	/** The message, parsed. */
	readonly mail: Email;
};

export type Mailbox = AsyncDisposable & {
	readonly port: number;
	/** What has arrived, oldest first. */
	readonly mails: readonly Received[];
};

/** A real mail server on 127.0.0.1 that takes everything and reads it. */
export async function openMailbox(): Promise<Mailbox> {
	const mails: Received[] = [];
	const server = new SMTPServer({
		authOptional: true,
		logger: false,
		onData(stream, {envelope}, callback) {
			void (async () => {
				const chunks: Buffer[] = [];
				for await (const chunk of stream) {
					chunks.push(chunk as Buffer);
				}

				mails.push({
					from: envelope.mailFrom ? envelope.mailFrom.address : '',
					to: envelope.rcptTo.map(({address}) => address),
					mail: await PostalMime.parse(Buffer.concat(chunks)),
				});
				callback();
			})();
		},
	});
	server.on('error', () => {});
	server.listen(0, '127.0.0.1');
	await once(server.server, 'listening');
	return {
		port: (server.server.address() as AddressInfo).port,
		mails,
		[Symbol.asyncDispose]: async () =>
			new Promise<void>(resolve => {
				server.close(() => {
					resolve();
				});
			}),
	};
}
