// What several codes mean.
const clientMissing =
	"The client (`forge.cli`) cannot be started: install it on the gateway's machine and PATH";
const forgeFailed =
	'The code host did not take the comment, which is tried again; or it did not answer `recover`: repeat that later';
const forgeForbidden =
	'The client lacks the right, or the pull request or repository does not exist';
const whichHook =
	'Several webhooks of the repository lead to the route, or none does: choose with `--hook`';

/** Of `errorCodes`, those of a code host and its client. */
export const forgeErrorCodes = {
	forge_client_missing: clientMissing,
	forge_client_unusable: clientMissing,
	forge_failed: forgeFailed,
	forge_forbidden: forgeForbidden,
	forge_not_authenticated:
		"The client is not logged in: log it in (`gh auth login`) as the gateway's user",
	forge_rate_limited: forgeFailed,
	forge_rejected: forgeForbidden,
	forge_target_not_found: forgeForbidden,
	hook_ambiguous: whichHook,
	hook_not_found: whichHook,
	prefetch_failed:
		'The [diff or the checkout](prefetch.md) of a pull request cannot be fetched; the run is tried again',
	repo_unknown: 'The repository is unknown: name it with `--repo OWNER/NAME`',
} as const;
