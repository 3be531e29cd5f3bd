# SPDX-License-Identifier: GPL-2.0-or-later
# doc/: the man pages, then the pages that are installed beside them.

dist_man_MANS += \
	doc/udpsim.1 \
	$(NULL)

dist_doc_DATA += \
	doc/faithfulness.md \
	doc/model.md \
	doc/dst-store.md \
	doc/early-demux.md \
	doc/explain.md \
	doc/json.md \
	doc/layout.md \
	doc/rcu-free.md \
	doc/scenario.md \
	doc/schema.md \
	doc/sendmsg-unify.md \
	doc/serve.md \
	$(NULL)

EXTRA_DIST += \
	doc/README.md \
	$(NULL)
