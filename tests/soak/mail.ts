import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	mkdirSync,
	mkdtempDisposableSync,
	readdirSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {createServer, type AddressInfo, connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {isOnPath} from '../helpers/need.ts';
import {createHeard, openListener, startMs} from '../platforms/open-listener.ts';

/** Whether dovecot (Debian: `dovecot-imapd`) is there, and may be started: it wants to begin as root. */
export const canServeMail = (): boolean => isOnPath('dovecot') && process.getuid?.() === 0;

const password = 'imap-password-0123';
const ann = 'ann@example.com';
/** "nobody": dovecot gives no mail to root. */
const user = 65_534;

export type MailSoak = {
	readonly mails: number;
	readonly breaks: Readonly<Record<string, number>>;
	/** Mails that were not heard, were heard twice, or out of their order. */
	readonly wrong: readonly string[];
	/** Files of the mailbox whose name has a flag: nothing may be changed there. */
	readonly flagged: readonly string[];
};

/** A listener on the mailbox of a real server, with breaks of either side while mails come. */
export async function breakMail({
	mails,
	random,
	onBreak,
}: {
	readonly mails: number;
	readonly random: () => number;
	readonly onBreak: (at: number, kind: string) => void;
}): Promise<MailSoak> {
	using folder = mkdtempDisposableSync(join(tmpdir(), 'svc-mail-'));
	await using server = await startDovecot(folder.path);
	const heard = createHeard();
	const settings = {
		from: 'svc@example.org',
		authserv_id: 'mx.example.org',
		imap: {host: '127.0.0.1', port: server.port, secure: false, username: 'svc', password},
	};
	const over = new AbortController();
	let stop = new AbortController();
	const run = async () => {
		while (!over.signal.aborted) {
			await using open = await openListener('email', settings, {heard, allowed: [ann]});
			await open.listen(stop.signal).catch(() => {});
			stop = stop.signal.aborted ? new AbortController() : stop;
			await pause(50);
		}
	};
	const running = run();
	const until = async (holds: () => boolean, what: string) => {
		for (let looks = 0; !holds(); looks++) {
			if (looks > 600) {
				throw new Error(`after 60 s still not: ${what}`);
			}

			await pause(100);
		}
	};
	await until(() => heard.cursor !== undefined, 'a first look');
	const breaks: Readonly<Record<string, () => void | Promise<void>>> = {
		'listener stops': () => {
			stop.abort();
		},
		'write fails': () => {
			heard.failures.push(new Error('the disk is full'));
		},
		'server restarts': async () => server.restart(),
	};
	const counts: Record<string, number> = {};
	const sent: string[] = [];
	for (let at = 1; at <= mails; at++) {
		const messageId = `${at}@mail.example.com`;
		const id = `${ann}/${messageId}`;
		sent.push(id);
		server.put(messageId);
		const kind = Object.keys(breaks)[Math.floor(random() * 30)];
		if (kind !== undefined) {
			onBreak(at, kind);
			counts[kind] = (counts[kind] ?? 0) + 1;
			await breaks[kind]?.();
		}

		if (random() < 0.3) {
			await until(() => heard.messages.has(id), `mail ${id}`);
		}
	}

	await until(() => heard.messages.size === mails, 'all mails');
	over.abort();
	stop.abort();
	await running;
	const order = [...heard.messages.keys()];
	return {
		mails,
		breaks: counts,
		wrong: sent.filter((id, index) => order[index] !== id).slice(0, 20),
		flagged: server.files().filter(name => /:2,./.test(name)),
	};
}

async function startDovecot(folder: string) {
	const port = await freePort();
	const inside = (name: string) => join(folder, name);
	for (const name of ['run', 'mail', 'mail/new', 'mail/cur', 'mail/tmp']) {
		mkdirSync(inside(name), {recursive: true});
	}

	writeFileSync(
		inside('dovecot.conf'),
		`protocols = imap
listen = 127.0.0.1
base_dir = ${inside('run')}
log_path = ${inside('dovecot.log')}
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${inside('mail')}
first_valid_uid = 1
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${user} gid=${user} home=${inside('mail')}
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`,
	);
	await changeOwner(folder);
	let program: ChildProcess | undefined;
	const start = async () => {
		program = spawn('dovecot', ['-F', '-c', inside('dovecot.conf')], {stdio: 'ignore'});
		while (!(await answers(port))) {
			await pause(50);
		}
	};
	const end = async () => {
		if (program && program.exitCode === null) {
			const ended = once(program, 'exit');
			program.kill('SIGTERM');
			await ended;
		}
	};
	await start();
	let count = 0;
	return {
		port,
		/** Puts a mail into the mailbox, as a mail server does. */
		put(id: string) {
			count += 1;
			const name = `${1_700_000_000 + count}.M${count}P1.mail`;
			const mail = [
				'Authentication-Results: mx.example.org; dmarc=pass header.from=example.com',
				`From: Ann <${ann}>`,
				'To: svc@example.org',
				// When the clock of the listener stands still.
				`Date: ${new Date(startMs).toUTCString()}`,
				`Message-ID: <${id}>`,
				'',
				`mail ${count}`,
				'',
			].join('\r\n');
			writeFileSync(inside(`mail/tmp/${name}`), mail, {mode: 0o644});
			renameSync(inside(`mail/tmp/${name}`), inside(`mail/new/${name}`));
		},
		files: () => ['new', 'cur'].flatMap(name => readdirSync(inside(`mail/${name}`))),
		async restart() {
			await end();
			await start();
		},
		async [Symbol.asyncDispose]() {
			await end();
			rmSync(inside('mail'), {recursive: true, force: true});
		},
	};
}

async function changeOwner(folder: string): Promise<void> {
	const program = spawn('chown', ['-R', `${user}:${user}`, join(folder, 'mail')]);
	await once(program, 'exit');
	const open = spawn('chmod', ['755', folder]);
	await once(open, 'exit');
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}

/** Whether an IMAP server greets there. */
async function answers(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	const greeting = await Promise.race([
		once(socket, 'data').then(([data]) => String(data)),
		once(socket, 'close').then(() => ''),
	]).catch(() => '');
	socket.destroy();
	return greeting.startsWith('* OK');
}
