import {chatErrorCodes} from './chat-error-codes.ts';
import {forgeErrorCodes} from './forge-error-codes.ts';
import {linkErrorCodes} from './link-error-codes.ts';
import {platformErrorCodes} from './platform-error-codes.ts';
import {runErrorCodes} from './run-error-codes.ts';
import {storeErrorCodes} from './store-error-codes.ts';

// What several codes mean.
const badRequest = 'The control API does not understand the request: see `GET /openapi.json`';
const keysExclude = 'The keys of the route exclude each other or are incomplete: keep one';
const notEditable =
	'`config.yaml` does not parse, or the value is shared through an anchor (`&name`): mend the file, or write the value out in place of `*name`';
const wrongSetting = 'A setting is wrong: see the named line, or `svc config check`';
const whichPlatform =
	'The platform is not enabled, or does not exist: enable it, or correct its name';
const notFinished =
	'The delivery did not finish and is tried again; after a timeout it may have arrived';
const noExport =
	'The input is no export, or has a time more than a day ahead; the message names line and key. Nothing of a file is imported then; of a pipe, batches of up to 500 lines before the error are';
const notFound = 'Nothing has that name: see the `list` command';
const notReplayed =
	"Nothing was replayed: you did not change the text, or it is not in the sender's format. An invalid text is kept; the message says where";
const notServed = 'The route is not served; `svc webhook list` says why';
const fileUnusable =
	'The file is too large, or your user may not read or write it, or an editor left something else in its place; the message says which';
const targetIncomplete = 'A key of the target is missing or did not render: see `deliver_extra`';
const silent =
	'The gateway does not answer within 5 s (first contact) or a minute (other calls); the message names its process: see its log';
const notStartedOrStopped =
	'The gateway did not start or stop: see `logs/gateway.out` and `svc gateway status`';
const cannotListen =
	'The receiver cannot listen on that address; it tries again every 15 s, `r` tries now';
const locked = 'Another process has locked a file: try again';
const modelFailed =
	"The model's server failed, was away or sent an invalid answer; the run is tried again";
const programFailed = 'The editor or pager did not run: see `$EDITOR`, `$PAGER`';
const mailAway = 'The mail server is away or busy; the mail is tried again';
const mailRefused = 'The mail server refuses the login or the mail: see `platforms.email`';

/**
 * Every code that an error of this program can carry, with what it means and what to do, as Markdown text of one paragraph. `svc explain CODE` prints it,
 * the page "Errors by code" lists it; the type of codes is made from its keys, so that an error nobody explains does not compile.
 */
export const errorCodes = {
	...chatErrorCodes,
	...forgeErrorCodes,
	...linkErrorCodes,
	...storeErrorCodes,
	...platformErrorCodes,
	...runErrorCodes,
	answer_too_large: "The model's server sent more than 32 MiB; the run is not tried again",
	approval_invalid:
		'The answer to the request is invalid (a scope that is not offered, a missing name, an incomplete form); the request still waits',
	approval_not_found: 'No request has that number: see `svc approvals list`',
	approval_rule_not_found: 'No rule has that number: see `svc approvals rules`',
	approval_settled:
		'Another person, or the deadline, settled the request first; the message says which',
	backup_exists: 'The file exists: use another name, or `--force`',
	backup_failed: 'The archive could not be written, and nothing was replaced; the message says why',
	backup_invalid: 'The archive is cut, was changed, or is not from `svc backup`: it was not used',
	bad_request: badRequest,
	body_not_kept: '`retention` has removed the body, so the delivery cannot be sent again',
	cluster_full:
		'The cluster has thirty-two members already: stop one, or give this gateway a database of its own',
	coalesce_invalid: keysExclude,
	coalesce_with_cron_job: keysExclude,
	coalesce_with_deliver_only: keysExclude,
	code_not_found: 'No error has that code: `svc explain` lists them',
	config_broken: notEditable,
	client_document_url_invalid:
		'An authorization server takes no document from such an address: use https:// with a path',
	config_invalid: wrongSetting,
	config_not_editable: notEditable,
	config_refused: wrongSetting,
	confirmation_needed:
		'Without a terminal, the command cannot ask before it reaches people, calls a tool that needs approval, or opens an editor: add `--yes`, or `--body-file`',
	control_unavailable:
		'The control socket cannot be opened: use a shorter `SVC_HOME`, or free disk space',
	cron_job_with_deliver_only: keysExclude,
	deliver_extra_invalid: '`deliver_extra` is not a mapping',
	deliver_only_without_target: '`deliver_only` needs a real target: set `deliver`',
	deliver_unknown: whichPlatform,
	delivery_aborted: notFinished,
	delivery_ambiguous:
		'Several identifiers have that ending; the message names the newest. Give more characters',
	delivery_busy: notFinished,
	delivery_held:
		"A loop limit holds the route's messages about this subject: find the cause of the loop, then `svc deliveries replay ID`",
	delivery_invalid: noExport,
	delivery_not_found: notFound,
	delivery_timeout: notFinished,
	document_changed:
		'Another gateway on the same database, or another person, changed the entry since it was read: nothing was written. Read it again',
	edit_aborted: notReplayed,
	edit_invalid: notReplayed,
	empty_message: 'The answer was empty: nothing was delivered',
	entry_invalid: notServed,
	file_planted:
		'A file or folder that the program writes is a pipe or a device, or a link that other users may have made (see Files): find out who made it, remove it, `chmod 700` its folder',
	file_system_failed:
		'The file system refused the access: the disk is full, a right is missing, or another file is in the way; the message says which path and what to do',
	file_too_large: fileUnusable,
	file_unreadable: fileUnusable,
	file_unwritable: fileUnusable,
	filter_invalid:
		'A word of `--filter` is invalid: the message lists the valid words, and `svc help terminal` explains them',
	filters_unreadable:
		'The file of `--filters-file` is neither JSON nor YAML, or has a filter with an unknown key',
	forge_comment_incomplete: targetIncomplete,
	gateway_differs:
		"This version of `svc` cannot read the gateway's answer; the message names the command and the field. End the gateway with `svc gateway stop` and start it again",
	gateway_failed: silent,
	gateway_not_running:
		'No gateway runs: start it with `svc`, `svc gateway` or `svc gateway run`. With `-p`, the message names the gateway that serves the profile, if one does: leave out `-p` then',
	gateway_not_started: notStartedOrStopped,
	gateway_not_stopped: notStartedOrStopped,
	gateway_running: 'The home has a running gateway already; the message names its process',
	gateway_silent: silent,
	gateway_stopping: 'Tool servers cannot be opened while the gateway ends',
	gateway_unreadable:
		'The attached interface cannot read the state of the gateway, which may have another version: end it with `svc gateway stop` and start it again',
	group_dispatched: 'The group has become a run already',
	group_not_found: notFound,
	handler_unavailable:
		'The `svc://` scheme cannot be registered: on Linux the message says what is missing, elsewhere follow the printed steps',
	history_busy: 'Many searches of the history wait: try again in a moment',
	history_unreadable:
		'The history cannot be searched now, or its thread failed; the message says why',
	home_not_empty:
		'A restore needs an empty home: use another `SVC_HOME`, or `--force`, which sets the present files aside',
	home_unusable: 'The home folder is not yours: change its owner, or set another `SVC_HOME`',
	host_unavailable: cannotListen,
	insecure_not_loopback: '`INSECURE_NO_AUTH` needs `host: 127.0.0.1`',
	interrupted: 'You interrupted the command; exit code 130',
	invalid_delivery_id: "The identifier is not one of this program's",
	job_ambiguous: 'Several jobs have that name: use the identifier',
	job_invalid: 'The entry in `cron/jobs.json` cannot be used; the message says why',
	job_not_found: notFound,
	job_refused: 'The job could never fire, or not deliver; the message says why',
	jobs_broken: '`cron/jobs.json` does not parse; it is never overwritten: mend it',
	key_ambiguous: 'Several keys have that name: use the identifier',
	line_invalid: noExport,
	listen_failed: cannotListen,
	lock_failed: locked,
	lock_timeout: locked,
	login_failed:
		'Nobody logged in in time, or a server refused; the message says which. The stored login is unchanged',
	login_file_unusable:
		'A file in `mcp-tokens/` is broken, too large, a link, or cannot be read or written',
	mcp_connect_failed:
		'A tool server cannot be reached at its configured address, or is no tool server; the message says what to change',
	mcp_message_too_large: 'A tool server sent a message of more than 10 MB',
	model_failed: modelFailed,
	model_garbled: modelFailed,
	model_misconfigured:
		'The settings under `model` do not fit together; the message says which: see `svc help model`',
	model_not_found:
		'The server has no model of that name: set `model.name` to one of its list; see `svc help model`',
	model_not_offered: 'The environment has no key for that provider: see `svc help model`',
	model_refused: "The model's server refused the key: see `model.api_key`",
	model_rejected: "The model's server refuses the request",
	model_unreachable: modelFailed,
	name_invalid: notServed,
	nobody_to_ask:
		'`svc open` was started without a terminal, and no gateway of this home runs: use `svc mcp install` with the link in a terminal',
	not_approved: 'A tool call was not allowed',
	not_found: badRequest,
	oauth_address_refused:
		'A tool server named an authorization server at an address nearer to this machine than its own (private, loopback, link-local)',
	overflow_with_deliver_only: keysExclude,
	platform_disabled: whichPlatform,
	platform_unknown: whichPlatform,
	port_forbidden: cannotListen,
	port_in_use:
		'Another process listens on `platforms.webhook.port`: end it (`svc gateway stop`, if it is a gateway), or set another port. The receiver tries again every 15 s; `r` in the interface tries now',
	profile_invalid:
		"A profile's name has only a-z, 0-9, `_`, `-`. In a route with an empty `profile`, name one or remove the key",
	profile_not_found:
		'The profile of `-p` has no folder: the message names the nearest one, and how to make the folder',
	profile_not_served:
		'The gateway of the home does not serve profiles: set `gateway.multiplex_profiles` in the home, or run a gateway with `-p`',
	program_failed: programFailed,
	program_not_started: programFailed,
	program_replaced:
		'An update replaced the files of the running version, which cannot load all its parts any more. Runs wait, and go on after `svc gateway stop` and a start',
	queue_full: 'The queue is full: as many runs wait as `runs.max_queued` allows',
	receiver_silent: silent,
	regex_unsupported: 'A linear-time engine cannot run the pattern: rewrite it',
	rotation_refused:
		'The secret is inherited, a `${NAME}`, or made by the sender, or more than 20 earlier ones would still be accepted; the message says what to do',
	read_only: 'The screen was opened with `--read-only`: it changes nothing',
	route_conflict:
		'The route was changed, or one of that name was made, since it was read: nothing was written. Read it again; the interface shows both versions',
	route_is_static: '`svc webhook test` works for dynamic routes only',
	route_not_editable:
		'The entry is no mapping, or would be a new one in `config.yaml`: edit the file by hand',
	route_not_found: notFound,
	route_not_testable:
		'`svc` cannot sign for the route: it has public keys only, or its sender signs the address that it was given',
	route_refused:
		'The receiver would refuse this version of the route: nothing was written; the message says what to mend',
	route_without_secret: 'The route has no secret: give it or the receiver a `secret`',
	secret_inline: 'A value looks like a secret: put it into `.env` and write `${NAME}`',
	secret_invalid:
		'The text after `whsec_` or `whpk_` is no valid key or is shorter than 8 bytes: copy it again; or the route has more than 20 secrets or 5 public keys',
	server_disabled: 'The tool server is switched off: set `enabled: true` in `config.yaml` first',
	server_exists:
		'A tool server of that name is in `config.yaml`: remove it first or choose another name; nothing is overwritten',
	server_invalid: 'The entry is invalid and was not written; the message names the key',
	server_not_found: 'No tool server of that name is in `config.yaml`: see `svc mcp list`',
	setup_conflict:
		'`config.yaml` was changed since the diff was shown: nothing was written. Look at the diff again',
	setup_refused:
		'The receiver would refuse these settings: nothing was written; the message says what to mend',
	shadowed: notServed,
	signature_invalid:
		'The `signature` of the route names no known sender or is no valid description; the message says what is wrong: see `svc help signatures`',
	signature_without_url:
		'The sender signs the address that it was given: set it as `public_url` of the route',
	simulation_refused: 'A route with these settings would be refused; the message says why',
	skill_not_found: 'No folder of `skills/` has that name: see `svc skills list`',
	smtp_failed: mailAway,
	smtp_insecure: 'The password would be sent unencrypted: use `secure: true` or STARTTLS',
	smtp_not_authenticated: mailRefused,
	smtp_rejected: mailRefused,
	smtp_temporary: mailAway,
	smtp_unreachable: mailAway,
	snapshot_only_looks: 'A snapshot changes nothing: press that key in the interface',
	snapshot_timeout:
		'The content of the pane did not come within 10 s; the message says what was missing. Try again, or see `svc gateway status`',
	step_limit: 'The run reached `runs.timeout_seconds` or `runs.max_steps`',
	subscription_not_found: notFound,
	subscription_refused: 'The receiver would refuse the route; the message says why',
	subscriptions_broken:
		'`webhook_subscriptions.json` does not parse; it is never overwritten: mend it',
	target_incomplete: targetIncomplete,
	target_invalid: targetIncomplete,
	target_unusable: targetIncomplete,
	tool_denied: 'The tried call was not approved',
	tool_not_found: 'No tool server has a tool of that name now',
	tool_pins_unusable:
		'`cache/mcp_tool_pins.json`, with the first definitions of tools, cannot be read: until you remove it and restart the gateway, tools count as changed unless they are accepted',
	tool_timeout: 'A tried call took longer than 20 minutes',
	too_many_links:
		'Five install links wait in the interface already: answer them there (`I`), or wait ten minutes',
	topic_not_found: 'No page of the manual and no command has that name: see `svc help`',
	unknown_url: badRequest,
	webhook_not_listening: 'The receiver does not listen: see `svc gateway status`',
} as const satisfies Readonly<Record<string, string>>;

export type ErrorCode = keyof typeof errorCodes;
