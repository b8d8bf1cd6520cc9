import {readdirSync, readFileSync} from 'node:fs';

/** Identifiers of the processes that run now and have `word` in their command line. Linux. */
export const processesWith = (word: string): readonly number[] =>
	readdirSync('/proc')
		.filter(name => /^\d+$/.test(name) && commandLineOf(name).includes(word))
		.map(Number);

function commandLineOf(pid: string): string {
	try {
		const [state = ''] = /(?<=\) )./.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
		// What has ended and was not waited for yet runs no more.
		return state === 'Z' ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8');
	} catch {
		return '';
	}
}
