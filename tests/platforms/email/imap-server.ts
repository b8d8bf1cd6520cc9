import {once} from 'node:events';
import {createServer, type AddressInfo, type Socket} from 'node:net';
import {createWatch} from '../../helpers/watch.ts';

type Stored = {readonly uid: number; readonly raw: Buffer; readonly date: Date};

/** What a client is answered instead of what it asked for. `drop`: the connection ends. */
export type Reaction = 'drop' | {readonly no: string};

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const internalDate = (date: Date) =>
	`"${String(date.getUTCDate()).padStart(2, ' ')}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000"`;

/** A mailbox over IMAP, as far as a client needs it that only reads; whatever would change something is a fault. @see RFC 3501, RFC 2177 */
export async function openImapServer({
	user = 'svc',
	password = 'imap-password-0123',
	hasIdle = true,
} = {}) {
	const mails: Stored[] = [];
	const faults: string[] = [];
	const commands: string[] = [];
	/** Those that wait in IDLE, with what ends it. */
	const idling = new Map<Socket, string>();
	const sockets = new Set<Socket>();
	const seen = new Map<Socket, number>();
	const {look, until} = createWatch();
	const reactions: Array<readonly [command: string, reaction: Reaction]> = [];
	const state = {uidvalidity: 1, uidNext: 1, mailbox: 'INBOX', logins: 0};
	const tell = (socket: Socket) => {
		if (seen.has(socket) && seen.get(socket) !== mails.length) {
			seen.set(socket, mails.length);
			socket.write(`* ${mails.length} EXISTS\r\n`);
		}
	};

	const fetched = (range: string, items: string): Buffer[] => {
		const [from = '', to = from] = range.split(':');
		const last = mails.at(-1)?.uid ?? 0;
		const bounds = [from, to].map(text => (text === '*' ? last : Number(text)));
		const [low = 0, high = 0] = bounds.toSorted((a, b) => a - b);
		if (/\bBODY\[|\bRFC822\b(?!\.SIZE)/.test(items)) {
			faults.push(`FETCH without PEEK: ${items}`);
		}

		return mails.flatMap(({uid, raw, date}, index) => {
			if (uid < low || uid > high) {
				return [];
			}

			const facts = [`UID ${uid}`];
			if (items.includes('RFC822.SIZE')) {
				facts.push(`RFC822.SIZE ${raw.length}`);
			}

			if (items.includes('INTERNALDATE')) {
				facts.push(`INTERNALDATE ${internalDate(date)}`);
			}

			const end = raw.indexOf('\r\n\r\n');
			const [name, body] = items.includes('BODY.PEEK[HEADER]')
				? ['BODY[HEADER]', raw.subarray(0, end === -1 ? raw.length : end + 4)]
				: items.includes('BODY.PEEK[]')
					? ['BODY[]', raw]
					: [];
			const start = `* ${index + 1} FETCH (${facts.join(' ')}`;
			return body
				? [Buffer.from(`${start} ${name} {${body.length}}\r\n`), body, Buffer.from(')\r\n')]
				: [Buffer.from(`${start})\r\n`)];
		});
	};

	const answer = (socket: Socket, line: string) => {
		const idleTag = idling.get(socket);
		if (idleTag !== undefined) {
			if (line.toUpperCase() !== 'DONE') {
				faults.push(`in IDLE: ${line}`);
			}

			idling.delete(socket);
			socket.write(`${idleTag} OK done\r\n`);
			look();
			return;
		}

		const [, tag = '*', command = '', rest = ''] =
			/^(\S+) (UID FETCH|\S+) ?(.*)$/i.exec(line) ?? [];
		const name = command.toUpperCase();
		commands.push(name === 'LOGIN' ? name : `${name} ${rest}`.trim());
		look();
		const say = (...lines: readonly string[]) => {
			socket.write(lines.map(text => `${text}\r\n`).join(''));
		};
		const ok = (...lines: readonly string[]) => {
			say(...lines, `${tag} OK done`);
		};
		const at = reactions.findIndex(([of]) => name.startsWith(of));
		const [, reaction] = at === -1 ? [] : (reactions.splice(at, 1)[0] ?? []);
		if (reaction === 'drop') {
			socket.destroy();
			return;
		}

		if (reaction) {
			say(`${tag} NO ${reaction.no}`);
			return;
		}

		switch (name) {
			case 'CAPABILITY': {
				ok(`* CAPABILITY IMAP4rev1${hasIdle ? ' IDLE' : ''}`);
				break;
			}

			case 'LOGIN': {
				if (rest.replaceAll('"', '') === `${user} ${password}`) {
					state.logins += 1;
					ok();
				} else {
					say(`${tag} NO [AUTHENTICATIONFAILED] no such login: ${rest}`);
				}

				break;
			}

			case 'NAMESPACE': {
				ok('* NAMESPACE (("" "/")) NIL NIL');
				break;
			}

			case 'LIST':
			case 'LSUB': {
				ok(...(rest.includes(state.mailbox) ? [`* ${name} () "/" ${state.mailbox}`] : []));
				break;
			}

			case 'EXAMINE': {
				if (rest.replaceAll('"', '') !== state.mailbox) {
					say(`${tag} NO [NONEXISTENT] no such mailbox`);
					break;
				}

				seen.set(socket, mails.length);
				say(
					'* FLAGS (\\Seen \\Deleted)',
					`* ${mails.length} EXISTS`,
					'* 0 RECENT',
					`* OK [UIDVALIDITY ${state.uidvalidity}] valid`,
					`* OK [UIDNEXT ${state.uidNext}] next`,
					`${tag} OK [READ-ONLY] done`,
				);
				break;
			}

			case 'UID FETCH': {
				const [, range = '', items = ''] = /^(\S+) (.*)$/.exec(rest) ?? [];
				for (const part of fetched(range, items)) {
					socket.write(part);
				}

				tell(socket);
				ok();
				break;
			}

			case 'IDLE': {
				idling.set(socket, tag);
				say('+ idling');
				tell(socket);
				look();
				break;
			}

			case 'NOOP': {
				tell(socket);
				ok();
				break;
			}

			case 'LOGOUT': {
				ok('* BYE');
				socket.end();
				break;
			}

			default: {
				faults.push(line);
				say(`${tag} BAD unknown command`);
			}
		}
	};

	const server = createServer(socket => {
		sockets.add(socket);
		socket.setNoDelay(true);
		let left = '';
		socket.on('error', () => {});
		socket.on('close', () => {
			sockets.delete(socket);
			idling.delete(socket);
			seen.delete(socket);
			look();
		});
		socket.on('data', (chunk: Buffer) => {
			left += chunk.toString('latin1');
			const lines = left.split('\r\n');
			left = lines.pop() ?? '';
			for (const line of lines) {
				answer(socket, line);
			}
		});
		socket.write('* OK ready\r\n');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	return {
		port,
		mails,
		faults,
		commands,
		idling,
		sockets,
		reactions,
		state,
		/** Puts a mail into the mailbox. Its number. */
		put(raw: string | Buffer, date = new Date('2026-11-20T10:00:00Z')): number {
			const uid = state.uidNext++;
			mails.push({uid, raw: typeof raw === 'string' ? Buffer.from(raw) : raw, date});
			for (const socket of idling.keys()) {
				tell(socket);
			}

			return uid;
		},
		/** A mailbox that was made anew: its mails have other numbers. */
		renumber() {
			state.uidvalidity += 1;
			const old = mails.splice(0);
			state.uidNext = 1;
			for (const {raw, date} of old) {
				mails.push({uid: state.uidNext++, raw, date});
			}
		},
		until,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) {
				socket.destroy();
			}

			server.close();
			await once(server, 'close');
		},
	};
}
