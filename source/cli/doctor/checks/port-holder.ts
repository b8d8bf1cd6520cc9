import {readdirSync, readFileSync, readlinkSync} from 'node:fs';

/** The process that listens on a TCP port, and what it is called, as far as the system tells this user (Linux does of own processes). */
export function holderOfPort(
	port: number,
): {readonly pid: number; readonly name: string} | undefined {
	try {
		const sockets = new Set(
			['/proc/net/tcp', '/proc/net/tcp6']
				.flatMap(path => listenersOn(port, textOf(path)))
				.map(inode => `socket:[${inode}]`),
		);
		const pid = readdirSync('/proc').find(
			name => /^\d+$/.test(name) && descriptorsOf(name).some(target => sockets.has(target)),
		);
		return pid === undefined
			? undefined
			: {pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim()};
	} catch {
		return undefined;
	}
}

const listening = '0A';

/** Inodes of the sockets that listen on a port. @see proc_net_tcp(5) */
export const listenersOn = (port: number, table: string): readonly string[] =>
	table
		.split('\n')
		.map(line => line.trim().split(/\s+/))
		.filter(
			([, local = '', , state]) =>
				state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port,
		)
		.map(columns => columns[9] ?? '');

function descriptorsOf(pid: string): readonly string[] {
	try {
		const folder = `/proc/${pid}/fd`;
		return readdirSync(folder).map(name => {
			try {
				return readlinkSync(`${folder}/${name}`);
			} catch {
				return '';
			}
		});
	} catch {
		// Another user's.
		return [];
	}
}

function textOf(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}
