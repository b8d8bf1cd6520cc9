import {asWord} from '../../core/shell-word.ts';
import type {DemoHome} from './demo-home.ts';

/** A code host's client that posts nothing: it notes what it was asked, and says that it did it. */
const client = `echo "$*" >> "\${0%/*}/../client.log"
while read -r line; do :; done
echo "https://github.com/northwind/depot/pull/412#issuecomment-1"`;

const parts = {'tracker-mcp': 'tracker', 'notes-mcp': 'notes', browser: 'browser'} as const;

/** Makes the programs that the demo starts: parts of this program, which `command` starts, and a client, of which it returns the place. */
export function addPrograms(
	home: Pick<DemoHome, 'addProgram'>,
	command: readonly [string, ...string[]],
): {readonly client: string} {
	for (const [name, part] of Object.entries(parts)) {
		const words = [...command, 'demo-part', part].map(word => asWord(word));
		home.addProgram(name, `exec ${words.join(' ')} "$@"`);
	}

	return {client: home.addProgram('client', client)};
}
