import type {GatewayEvent} from '../../core/events.ts';
import {toolWords} from '../../core/run.ts';
import {escapeBlock} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';

/**
 * Writes an agent's answer as it streams in, escaped. Parts already written are not repeated at its end. On a terminal, lines are indented so that none can be
 * taken for a prompt or a question.
 */
export function createAnswerWriter({stdout, stderr}: Context, isSilent: boolean) {
	let heard = 0;
	let isOpen = false;
	let hasWritten = false;
	const write = (text: string) => {
		if (!isSilent && text !== '') {
			const clean = escapeBlock(text, {maxLength: Infinity, maxLines: Infinity});
			stdout.write(
				stdout.isTTY ? `${isOpen ? '' : '  '}${clean.replaceAll(/\n(?!$)/g, '\n  ')}` : clean,
			);
			isOpen = !text.endsWith('\n');
			hasWritten = true;
		}
	};

	const breakLine = () => {
		if (isOpen) {
			stdout.write('\n');
			isOpen = false;
		}
	};

	return {
		breakLine,
		take(event: GatewayEvent, run: number) {
			if (event.type === 'run-said' && event.runId === run) {
				const {from, text} = event;
				if (from === 0 && heard > 0) {
					breakLine();
				}

				write(from > heard && from > 0 ? `…${text}` : text);
				heard = from + text.length;
			} else if (event.type === 'run-progressed' && event.runId === run) {
				const {entry} = event;
				const {kind, text} = entry;
				if (kind === 'text') {
					write(text.slice(heard));
					breakLine();
					heard = 0;
				} else if (kind === 'tool-call' && !isSilent) {
					breakLine();
					tell({stderr}, `(calls ${[toolWords(entry), text.split('\n', 1)[0]].join(' ').trim()})`);
				} else if (kind === 'retry') {
					breakLine();
					heard = 0;
				}
			}
		},
		/** Writes a whole answer, if none of it was streamed. */
		end(answer: string) {
			if (!hasWritten) {
				write(answer);
			}

			breakLine();
		},
	};
}
