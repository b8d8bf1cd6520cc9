import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {breakMail, canServeMail} from '../../tests/soak/mail.ts';

const usualMails = 300;

/** Mails come into the mailbox of a real server, `rounds` of them, while the server restarts and the listener stops and fails. Needs dovecot (Debian: `dovecot-imapd`) and root. */
export async function soakMail({
	rounds = usualMails,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	if (!canServeMail()) {
		process.stderr.write(
			'Cannot serve mail: install dovecot (Debian: dovecot-imapd), and be root\n',
		);
		return false;
	}

	process.stdout.write(`drawn with SEED=${runSeed}\n`);
	const report = await breakMail({
		mails: rounds,
		random: randomOf(runSeed),
		onBreak(at, kind) {
			process.stderr.write(`mail ${at} of ${rounds}: ${kind}\n`);
		},
	});
	process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
	return report.wrong.length === 0 && report.flagged.length === 0;
}
