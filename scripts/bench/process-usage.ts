import {readFileSync} from 'node:fs';

/** CPU time of a process, user and system, microseconds, in steps of 10 ms. Linux only: elsewhere `NaN`. */
export function cpuMicrosOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		const microsPerTick = 10_000;
		return (Number(fields[11]) + Number(fields[12])) * microsPerTick;
	} catch {
		return Number.NaN;
	}
}

/** Resident memory of a process, megabytes. Linux only: elsewhere `NaN`. */
export function rssMbOf(pid: number): number {
	try {
		const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
		return Math.round(Number(kilobytes) / 1000);
	} catch {
		return Number.NaN;
	}
}
